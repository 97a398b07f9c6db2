// The work in the cluster during a hand-over: rollouts, Jobs, deleted owners, claims and volumes, a terminating
// namespace, a failed node. Each step has new objects and removes those of the previous step.

import type { ControlPlane } from "#test/real/control-plane.ts";
import { requestPem } from "#test/stage/certificate-requests.ts";
import {
  AGGREGATED_LABELS,
  BIG,
  claim,
  clusterWide,
  FRAIL,
  inside,
  job,
  namespaceObject,
  podWithClaim,
  service,
  TEAMS,
  volume,
  WIDGETS,
  workload,
} from "./cluster-objects.ts";

const HOLD = "swap.example.com/hold";
const BATCH_TEAMS = TEAMS.slice(0, 5);
const CLAIMS = 5;
const DEPENDENTS = 6;
const MERGE = { "content-type": "application/merge-patch+json" };

export interface Work {
  /** Creates the objects that a step needs before it starts. */
  prepare(step: number): Promise<void>;
  begin(step: number): Promise<void>;
  /** The actions of users while the next manager leads. */
  finish(step: number): Promise<void>;
}

export function workOn(plane: ControlPlane): Work {
  const ask = async (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<string> => {
    const { status, text } = await plane.request(method, path, body, headers);
    // An object that is deleted twice is gone.
    if (status >= 300 && !(method === "DELETE" && status === 404)) throw new Error(`${method} ${path}: ${text}`);
    return text;
  };
  const create = (path: string, object: object): Promise<string> => ask("POST", path, object);
  const patch = (path: string, body: object): Promise<string> => ask("PATCH", path, body, MERGE);
  const remove = (path: string, propagationPolicy = "Background"): Promise<string> =>
    ask("DELETE", `${path}?propagationPolicy=${propagationPolicy}`);
  const core = (namespace: string, resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`;
  const apps = (namespace: string, resource: string): string => `/apis/apps/v1/namespaces/${namespace}/${resource}`;
  const jobs = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const widgets = `/apis/${WIDGETS.group}/${WIDGETS.version}/namespaces/team-4/${WIDGETS.plural}`;
  const volumes = "/api/v1/persistentvolumes";
  const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const ending = (step: number): string => `ending-${step}`;

  /** A new template for some workloads of every kind. */
  const rollOut = async (step: number): Promise<void> => {
    const body = { spec: { template: { metadata: { annotations: { step: String(step) } } } } };
    for (const team of TEAMS) {
      await patch(`${apps(team, "deployments")}/web-0`, body);
      await patch(`${apps(team, "statefulsets")}/db`, body);
      await patch(`${core(team, "replicationcontrollers")}/old`, { spec: { replicas: step % 2 === 0 ? 4 : 2 } });
    }
    for (const team of ["team-0", "team-1"]) await patch(`${apps(team, "daemonsets")}/agent`, body);
    await patch(`${apps(BIG.namespace, "deployments")}/${BIG.name}`, body);
    await patch(`${apps("team-2", "deployments")}/web-2`, { spec: { replicas: step % 2 === 0 ? 12 : 3 } });
  };

  const runJobs = async (step: number): Promise<void> => {
    for (const team of BATCH_TEAMS) {
      await create(jobs(team), job(team, `job-${step}`));
      await remove(`${jobs(team)}/job-${step - 1}`);
    }
  };

  /** Half of the claims name their volume; the others match the only volume of their size. */
  const moveVolumes = async (step: number): Promise<void> => {
    const claims = core("team-2", "persistentvolumeclaims");
    for (let index = 0; index < CLAIMS; index++) {
      const [name, gibibytes] = [`claim-${step}-${index}`, 10 * (1 + (step % 2)) + index];
      await create(volumes, volume(`volume-${step}-${index}`, gibibytes));
      await create(claims, claim("team-2", name, gibibytes, index % 2 === 0 ? `volume-${step}-${index}` : undefined));
      await remove(`${claims}/claim-${step - 1}-${index}`);
      await remove(`${volumes}/volume-${step - 1}-${index}`);
    }
    await create(core("team-2", "pods"), podWithClaim("team-2", `user-${step}`, `claim-${step}-0`));
  };

  /** A tree of two levels, of built-in and custom kinds. */
  const moveOwners = async (step: number): Promise<void> => {
    const maps = core("team-4", "configmaps");
    const { uid } = (JSON.parse(await create(maps, inside("team-4", "v1", "ConfigMap", `root-${step}`))) as Created)
      .metadata;
    const owned = (name: string, kind: string, owner: object) => ({
      apiVersion: kind === WIDGETS.kind ? `${WIDGETS.group}/${WIDGETS.version}` : "v1",
      kind,
      metadata: { name, namespace: "team-4", ownerReferences: [{ blockOwnerDeletion: true, ...owner }] },
    });
    const root = { apiVersion: "v1", kind: "ConfigMap", name: `root-${step}`, uid };
    for (let index = 0; index < DEPENDENTS; index++) {
      const name = `branch-${step}-${index}`;
      const branch = JSON.parse(await create(maps, owned(name, "ConfigMap", root))) as Created;
      const owner = { apiVersion: "v1", kind: "ConfigMap", name, uid: branch.metadata.uid };
      await create(widgets, owned(`leaf-${step}-${index}`, WIDGETS.kind, owner));
    }
    await remove(`${maps}/root-${step - 1}`, "Foreground");
  };

  const moveAccounts = async (step: number): Promise<void> => {
    const accounts = core("team-5", "serviceaccounts");
    await create(accounts, inside("team-5", "v1", "ServiceAccount", `bot-${step}`));
    const annotations = { "kubernetes.io/service-account.name": `bot-${step}` };
    await create(core("team-5", "secrets"), {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/service-account-token",
      metadata: { name: `bot-${step}`, namespace: "team-5", annotations },
    });
    await remove(`${accounts}/bot-${step - 1}`);
  };

  const moveRoles = async (step: number): Promise<void> => {
    const rules = [{ apiGroups: ["example.com"], resources: [`things-${step}`], verbs: ["get"] }];
    const role = clusterWide("rbac.authorization.k8s.io/v1", "ClusterRole", `part-${step}`, { rules });
    await create(roles, { ...role, metadata: { name: `part-${step}`, labels: AGGREGATED_LABELS } });
    await remove(`${roles}/part-${step - 1}`);
  };

  const askForCertificate = async (step: number): Promise<void> => {
    const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    const spec = {
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
      request: btoa(requestPem({ commonName: `user-${step}` })),
    };
    const name = `request-${step}`;
    await create(requests, clusterWide("certificates.k8s.io/v1", "CertificateSigningRequest", name, { spec }));
    const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
    await patch(`${requests}/${name}/approval`, { status: { conditions } });
    await remove(`${requests}/request-${step - 1}`);
  };

  const moveServices = async (step: number): Promise<void> => {
    const services = core("team-3", "services");
    for (const index of [0, 1, 2]) {
      await create(services, service("team-3", `moved-${step}-${index}`, `web-${index}`));
      await remove(`${services}/moved-${step - 1}-${index}`);
    }
  };

  return {
    async prepare(step) {
      const name = ending(step);
      await create("/api/v1/namespaces", namespaceObject(name));
      for (let index = 0; index < 10; index++) {
        await create(core(name, "configmaps"), inside(name, "v1", "ConfigMap", `map-${index}`));
        await create(core(name, "secrets"), inside(name, "v1", "Secret", `secret-${index}`));
      }
      const held = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", finalizers: [HOLD] } };
      await create(core(name, "configmaps"), held);
      await create(core(name, "services"), service(name, "web", "web"));
      await create(
        apps(name, "deployments"),
        workload("apps/v1", "Deployment", { namespace: name, name: "web", replicas: 3 }),
      );
    },
    async begin(step) {
      await moveVolumes(step);
      await moveOwners(step);
      await moveAccounts(step);
      await moveRoles(step);
      await moveServices(step);
      await askForCertificate(step);
      await remove(`/api/v1/namespaces/${ending(step)}`);
      await runJobs(step);
      await rollOut(step);
    },
    async finish(step) {
      await patch(`${core(ending(step), "configmaps")}/held`, { metadata: { finalizers: null } });
      await remove(`${core("team-2", "pods")}/user-${step - 1}`);
    },
  };
}

interface Created {
  readonly metadata: { readonly uid: string };
}

interface Check {
  readonly kind: string;
  readonly path: string;
  /** For an object that is not terminating. */
  isDone(item: Item): boolean;
}

const isSeen = ({ metadata, status }: Item): boolean => status.observedGeneration === metadata.generation;
const isBound = ({ status }: Item): boolean => status.phase === "Bound";
const isThere = (): boolean => true;

/** The slowest first: the others are not read until these are done. */
const checks: readonly Check[] = [
  { kind: "Namespace", path: "/api/v1/namespaces", isDone: isThere },
  {
    kind: "Deployment",
    path: "/apis/apps/v1/deployments",
    isDone(item) {
      const { updatedReplicas = 0, readyReplicas = 0, replicas = 0, terminatingReplicas = 0 } = item.status;
      const isWhole = [updatedReplicas, readyReplicas, replicas].every((count) => count === item.spec.replicas);
      return isSeen(item) && isWhole && terminatingReplicas === 0;
    },
  },
  {
    kind: "StatefulSet",
    path: "/apis/apps/v1/statefulsets",
    isDone(item) {
      const { readyReplicas = 0, currentRevision, updateRevision } = item.status;
      return isSeen(item) && readyReplicas === item.spec.replicas && currentRevision === updateRevision;
    },
  },
  {
    kind: "DaemonSet",
    path: "/apis/apps/v1/daemonsets",
    isDone(item) {
      const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled = 0, numberReady = 0 } = item.status;
      return isSeen(item) && updatedNumberScheduled === wanted && numberReady === wanted;
    },
  },
  {
    kind: "ReplicationController",
    path: "/api/v1/replicationcontrollers",
    isDone(item) {
      const { readyReplicas = 0, replicas = 0 } = item.status;
      return isSeen(item) && readyReplicas === item.spec.replicas && replicas === item.spec.replicas;
    },
  },
  {
    kind: "Job",
    path: "/apis/batch/v1/jobs",
    isDone: ({ status }) =>
      (status.conditions ?? []).some(({ type, status }) => type === "Complete" && status === "True"),
  },
  { kind: "PersistentVolumeClaim", path: "/api/v1/persistentvolumeclaims", isDone: isBound },
  { kind: "PersistentVolume", path: "/api/v1/persistentvolumes", isDone: isBound },
  {
    kind: "CertificateSigningRequest",
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    isDone: ({ status }) => status.certificate !== undefined,
  },
  { kind: "Node", path: "/api/v1/nodes", isDone: ({ spec }) => (spec.taints ?? []).length === 0 },
  // Where the owners are.
  { kind: "ConfigMap", path: "/api/v1/namespaces/team-4/configmaps", isDone: isThere },
  { kind: "Pod", path: "/api/v1/pods", isDone: isThere },
];

/** Some of the unfinished objects, as text; empty when the cluster has settled. */
export async function unsettled(plane: ControlPlane): Promise<readonly string[]> {
  const list = async (path: string): Promise<readonly Item[]> =>
    (JSON.parse((await plane.request("GET", path)).text) as { items: Item[] }).items;
  const leftOf = (kind: string, items: readonly Item[], isDone: Check["isDone"]): readonly string[] =>
    items
      .filter((item) => item.metadata.deletionTimestamp !== undefined || !isDone(item))
      .map(({ metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
  let items: readonly Item[] = [];
  for (const { kind, path, isDone } of checks) {
    items = await list(path);
    const left = leftOf(kind, items, isDone);
    if (left.length > 0) return left;
  }
  const alive = items.filter(({ status }) => status.phase !== "Succeeded" && status.phase !== "Failed");
  return leftOf("ResourceQuota", await list("/api/v1/resourcequotas"), ({ metadata, status }) => {
    const count = alive.filter((pod) => pod.metadata.namespace === metadata.namespace).length;
    return status.used?.pods === String(count);
  });
}

/** Whether the Deployment whose nodes fail has its ready pods. */
export async function frailIsReady(plane: ControlPlane): Promise<boolean> {
  const path = `/apis/apps/v1/namespaces/${FRAIL.namespace}/deployments/${FRAIL.name}`;
  const { status } = JSON.parse((await plane.request("GET", path)).text) as Item;
  return status.readyReplicas === FRAIL.replicas && status.replicas === FRAIL.replicas;
}

/** The fields that the checks read, of any kind. */
interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly replicas?: number; readonly taints?: readonly object[] };
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly terminatingReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberReady?: number;
    readonly phase?: string;
    readonly certificate?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly used?: Readonly<Record<string, string>>;
  };
}
