// The number of keys that each controller handles at the same time, from the command line to the pending requests at
// the API server. Flags that the command does not validate accept 0 and -1: the controller then does nothing.

import { describe, expect, it } from "vitest";
import { ValidatingAdmissionPolicies } from "#api/generated/resources/admissionregistration-v1.ts";
import { DaemonSets, Deployments, ReplicaSets, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import {
  Endpoints,
  Namespaces,
  Pods,
  ReplicationControllers,
  ResourceQuotas,
  Secrets,
  ServiceAccounts,
  Services,
} from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceClaimTemplates, ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Draft, Resource, StoredObject } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { HttpRequest } from "#base/http.ts";
import type { ControllerName } from "#kit/known-controllers.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";
import { configOf } from "./command-line.ts";

const labels = { app: "web" };
const podSpec = { containers: [{ name: "main", image: "example/web:1" }] };
const template = { metadata: { labels }, spec: podSpec };
const jobSpec = { template: { spec: { ...podSpec, restartPolicy: "Never" } } };
const claim = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] } };

type Make = (stage: WireStage, index: number) => Promise<unknown>;

/** Creates an object called web-0, web-1, … in the stage's namespace. */
const object =
  <T extends StoredObject>(resource: Resource<T>, content: (name: string) => object): Make =>
  (stage, index) => {
    const name = `web-${index}`;
    const draft = { metadata: { name }, ...content(name) } as KubeObject as Draft<T>;
    return stage.of(resource).create(draft);
  };

const both =
  (...steps: readonly Make[]): Make =>
  async (stage, index) => {
    for (const step of steps) await step(stage, index);
  };

/** The account is created with the first object. */
const tokenSecret: Make = async (stage, index) => {
  if (index === 0) await stage.of(ServiceAccounts).create({ metadata: { name: "robot" } });
  const annotations = { "kubernetes.io/service-account.name": "robot" };
  const type = "kubernetes.io/service-account-token";
  await stage.of(Secrets).create({ type, metadata: { name: `web-${index}`, annotations } });
};

const terminatingNamespace: Make = async (stage, index) => {
  const name = `web-${index}`;
  await stage.of(Namespaces).create({ metadata: { name } });
  await stage.of(Namespaces).delete(name);
};

const finishedJob: Make = async (stage, index) => {
  const name = `web-${index}`;
  await stage.of(Jobs).create({ metadata: { name }, spec: { ...jobSpec, ttlSecondsAfterFinished: 1 } });
  const at = formatTime(stage.now());
  const met = { status: "True", lastTransitionTime: at };
  const conditions = [
    { type: "SuccessCriteriaMet", ...met },
    { type: "Complete", ...met },
  ];
  const status = { conditions, startTime: at, completionTime: at, succeeded: 1 };
  await stage.of(Jobs).patch(name, { status }, { subresource: "status" });
};

const claimUser: Make = async (stage, index) => {
  const templateName = "gpu";
  if (index === 0) {
    await stage.of(ResourceClaimTemplates).create({ metadata: { name: templateName }, spec: { spec: claim } });
  }
  const resourceClaims = [{ name: "gpu", resourceClaimTemplateName: templateName }];
  await stage.of(Pods).create({ metadata: { name: `web-${index}` }, spec: { ...podSpec, resourceClaims } });
};

/** Creates a pod that uses a tainted device. */
const taintedUser: Make = async (stage, index) => {
  const name = `web-${index}`;
  const driver = "gpu.example.com";
  if (index === 0) {
    const taints = [{ key: "broken", effect: "NoExecute" }];
    const pool = { name: "pool", generation: 1, resourceSliceCount: 1 };
    const spec = { driver, pool, allNodes: true, devices: [{ name: "gpu-0", taints }] };
    await stage.of(ResourceSlices).create({ metadata: { name: "slice" }, spec });
  }
  await stage.of(ResourceClaims).create({ metadata: { name }, spec: claim });
  const resourceClaims = [{ name: "gpu", resourceClaimName: name }];
  const pod = await stage.of(Pods).create({
    metadata: { name },
    spec: { ...podSpec, nodeName: "node-1", resourceClaims },
  });
  const status = {
    allocation: { devices: { results: [{ request: "gpu", driver, pool: "pool", device: "gpu-0" }] } },
    reservedFor: [{ resource: "pods", name, uid: pod.metadata.uid }],
  };
  await stage.of(ResourceClaims).patch(name, { status }, { subresource: "status" });
};

const policy: Make = (stage, index) => {
  const resourceRules = [
    { apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"], operations: ["CREATE" as const] },
  ];
  const validations = [{ expression: "object.spec.replicas <= 5" }];
  const spec = { matchConstraints: { resourceRules }, validations };
  return stage.of(ValidatingAdmissionPolicies).create({ metadata: { name: `web-${index}` }, spec });
};

const workload = (name: string): object => ({
  spec: { replicas: 1, serviceName: name, selector: { matchLabels: labels }, template },
});
const service = object(Services, () => ({ spec: { selector: labels, ports: [{ port: 80 }] } }));
const bareService = object(Services, () => ({ spec: { ports: [{ port: 80 }] } }));
const endpoints = object(Endpoints, () => ({ subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }] }));
const ephemeral = {
  volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
};
const scaleTargetRef = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" };

const request = (method: string, resource: string) => (given: HttpRequest) =>
  given.method === method && new RegExp(`/${resource}(/|\\?|$)`).test(given.path);

interface WorkerFlag {
  readonly id: string;
  readonly flag: string;
  readonly controller: ControllerName | "serviceaccount-token-controller";
  readonly workers: number;
  /** Whether the command refuses numbers outside a range. */
  readonly isChecked?: boolean;
  readonly make: Make;
  readonly isStalled: (request: HttpRequest) => boolean;
}

const flags: readonly WorkerFlag[] = [
  {
    id: "machinery/1.7.r120",
    flag: "--concurrent-replicaset-syncs",
    controller: "replicaset-controller",
    workers: 5,
    make: object(ReplicaSets, () => ({ spec: { replicas: 1, selector: { matchLabels: labels }, template } })),
    isStalled: request("POST", "pods"),
  },
  {
    id: "machinery/1.7.r121",
    flag: "--concurrent-rc-syncs",
    controller: "replicationcontroller-controller",
    workers: 5,
    make: object(ReplicationControllers, () => ({ spec: { replicas: 1, selector: labels, template } })),
    isStalled: request("POST", "pods"),
  },
  {
    id: "machinery/1.7.r125",
    flag: "--concurrent-serviceaccount-token-syncs",
    controller: "serviceaccount-token-controller",
    workers: 5,
    make: tokenSecret,
    isStalled: request("PUT", "secrets"),
  },
  {
    id: "machinery/1.7.r72",
    flag: "--concurrent-deployment-syncs",
    controller: "deployment-controller",
    workers: 5,
    make: object(Deployments, () => ({ spec: { replicas: 1, selector: { matchLabels: labels }, template } })),
    isStalled: request("POST", "replicasets"),
  },
  {
    id: "machinery/1.7.r73",
    flag: "--concurrent-device-taint-eviction-syncs",
    controller: "device-taint-eviction-controller",
    workers: 8,
    isChecked: true,
    make: taintedUser,
    isStalled: request("PATCH", "pods"),
  },
  {
    id: "machinery/1.7.r74",
    flag: "--concurrent-resourceclaim-syncs",
    controller: "resourceclaim-controller",
    workers: 50,
    isChecked: true,
    make: claimUser,
    isStalled: request("POST", "resourceclaims"),
  },
  {
    id: "machinery/1.7.r75",
    flag: "--concurrent-statefulset-syncs",
    controller: "statefulset-controller",
    workers: 5,
    make: object(StatefulSets, workload),
    isStalled: request("POST", "controllerrevisions"),
  },
  {
    id: "machinery/1.7.r76",
    flag: "--concurrent-daemonset-syncs",
    controller: "daemonset-controller",
    workers: 2,
    make: object(DaemonSets, () => ({ spec: { selector: { matchLabels: labels }, template } })),
    isStalled: request("POST", "controllerrevisions"),
  },
  {
    id: "machinery/1.7.r77",
    flag: "--concurrent-endpoint-syncs",
    controller: "endpoints-controller",
    workers: 5,
    make: service,
    isStalled: request("POST", "endpoints"),
  },
  {
    id: "machinery/1.7.r79",
    flag: "--concurrent-service-endpoint-syncs",
    controller: "endpointslice-controller",
    workers: 5,
    isChecked: true,
    make: service,
    isStalled: request("POST", "endpointslices"),
  },
  {
    id: "machinery/1.7.r82",
    flag: "--mirroring-concurrent-service-endpoint-syncs",
    controller: "endpointslice-mirroring-controller",
    workers: 5,
    isChecked: true,
    make: both(bareService, endpoints),
    isStalled: request("POST", "endpointslices"),
  },
  {
    id: "machinery/1.7.r85",
    flag: "--concurrent-ephemeralvolume-syncs",
    controller: "ephemeral-volume-controller",
    workers: 5,
    isChecked: true,
    make: object(Pods, () => ({ spec: { ...podSpec, volumes: [{ name: "scratch", ephemeral }] } })),
    isStalled: request("POST", "persistentvolumeclaims"),
  },
  {
    id: "machinery/1.7.r88",
    flag: "--concurrent-horizontal-pod-autoscaler-syncs",
    controller: "horizontal-pod-autoscaler-controller",
    workers: 5,
    isChecked: true,
    make: object(HorizontalPodAutoscalers, (name) => ({
      spec: { scaleTargetRef: { ...scaleTargetRef, name }, maxReplicas: 3 },
    })),
    isStalled: ({ path }) => path.endsWith("/scale"),
  },
  {
    id: "machinery/1.7.r94",
    flag: "--concurrent-job-syncs",
    controller: "job-controller",
    workers: 5,
    make: object(Jobs, () => ({ spec: jobSpec })),
    isStalled: request("POST", "pods"),
  },
  {
    id: "machinery/1.7.r95",
    flag: "--concurrent-cron-job-syncs",
    controller: "cronjob-controller",
    workers: 5,
    isChecked: true,
    make: object(CronJobs, () => ({ spec: { schedule: "* * * * *", jobTemplate: { spec: jobSpec } } })),
    isStalled: request("POST", "jobs"),
  },
  {
    id: "machinery/1.7.r98",
    flag: "--concurrent-namespace-syncs",
    controller: "namespace-controller",
    workers: 10,
    make: terminatingNamespace,
    isStalled: request("PUT", "namespaces/[^/]*/(status|finalize)"),
  },
  {
    id: "machinery/1.7.r123",
    flag: "--concurrent-resource-quota-syncs",
    controller: "resourcequota-controller",
    workers: 5,
    make: object(ResourceQuotas, () => ({ spec: { hard: { pods: "5" } } })),
    isStalled: request("PUT", "resourcequotas/[^/]*/status"),
  },
  {
    id: "machinery/1.7.r127",
    flag: "--concurrent-ttl-after-finished-syncs",
    controller: "ttl-after-finished-controller",
    workers: 5,
    isChecked: true,
    make: finishedJob,
    isStalled: request("DELETE", "jobs"),
  },
  {
    id: "machinery/1.7.r128",
    flag: "--concurrent-validating-admission-policy-status-syncs",
    controller: "validatingadmissionpolicy-status-controller",
    workers: 5,
    make: policy,
    isStalled: request("PATCH", "validatingadmissionpolicies/[^/]*/status"),
  },
];

/** Enough for a CronJob's next minute and for a TTL to pass. */
const LONG_ENOUGH_MS = 70_000;

async function workersAt(
  args: readonly string[],
  { controller, workers, make, isStalled }: WorkerFlag,
): Promise<number> {
  const stage = await openWire({ controllers: [controller], config: configOf(...args) });
  stage.network.hold(isStalled);
  for (let index = 0; index < workers + 3; index++) await make(stage, index);
  await stage.pass(LONG_ENOUGH_MS);
  const count = stage.network.count(isStalled);
  await stage.stop();
  return count;
}

describe("the number of workers", () => {
  it.each(flags)("$id $flag is how many keys are worked on at the same time", async (given) => {
    expect(await workersAt([], given)).toBe(given.workers);
    expect(await workersAt([`${given.flag}=2`], given)).toBe(2);
  });

  it.each(flags.filter(({ isChecked = false }) => !isChecked))(
    "machinery/1.6.n1 $flag is not checked",
    async (given) => {
      expect(await workersAt([`${given.flag}=0`], given)).toBe(0);
      expect(await workersAt([`${given.flag}=-1`], given)).toBe(0);
    },
  );
});
