// Hand-over in both directions between the Go manager and ours, under load: the leader is killed (-9) in the middle of
// a burst, and the standby takes over and finishes. Every pod is created once, and no manager writes while another
// leads. Pods are counted with a watch, not with the audit log: when the kill cuts a create off, the server logs that
// request as failed (500 "client disconnected" or 504, no object), although the pod may exist.

import { afterAll, beforeAll, expect, it } from "vitest";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { daemonOf, type Side, sharedControllers } from "#test/real/daemon.ts";
import { openHttps } from "#test/real/https.ts";
import { holderOf, leaseWrites, reigns, shortLease, writesOf } from "#test/real/leadership.ts";
import { describeReal, eventually } from "#test/real/suite.ts";

const ROUNDS = Number(process.env.STEERSMAN_HAND_OVER_ROUNDS ?? 20);
const SETS = 6;
const REPLICAS = 50;
const PODS = SETS * REPLICAS;
/** Pods that are deleted while no manager leads. */
const DELETED = 5;
const LEASE = "hand-over";
const LIMIT_MS = 180_000;
/**
 * Fast enough that the kill cuts off a create in most rounds, and slow enough that it comes in the middle of the burst.
 */
const pace = ["--kube-api-qps=100", "--kube-api-burst=50"];

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}
interface PodEvent {
  readonly type: string;
  readonly object: PodList["items"][number];
}
interface SetList {
  readonly items: readonly { readonly status?: { readonly replicas?: number; readonly observedGeneration?: number } }[];
}

describeReal("hand-over between the Go manager and ours", () => {
  let plane: ControlPlane;
  let leader: { readonly side: Side; readonly program: RunningManager };
  const figures: string[] = [];
  let busyRounds = 0;
  beforeAll(async () => {
    plane = await startControlPlane();
    leader = await start("go");
    await eventually(async () => ((await holderOf(plane, LEASE)) === "" ? undefined : true));
  }, LIMIT_MS);
  afterAll(async () => {
    await plane?.stop();
    process.stdout.write(figures.join(""));
  });

  const start = async (side: Side): Promise<typeof leader> => {
    const flags = [...shortLease.flags, ...pace, `--leader-elect-resource-name=${LEASE}`];
    return { side, program: await plane.startManager(daemonOf(side), { controllers: sharedControllers, flags }) };
  };
  const read = async <T>(path: string): Promise<T> => JSON.parse((await plane.request("GET", path)).text) as T;
  const isThere = async (path: string): Promise<void> => {
    await eventually(async () => ((await plane.request("GET", path)).status === 200 ? true : undefined));
  };
  const podNames = async (namespace: string): Promise<readonly string[]> =>
    (await read<PodList>(`/api/v1/namespaces/${namespace}/pods`)).items.map(({ metadata }) => metadata.name);

  it.each(
    Array.from({ length: ROUNDS }, (_, round) => ({ round: round + 1, to: round % 2 === 0 ? "ours" : "go" }) as const),
  )(
    "machinery/3.1.5 round $round: to $to",
    async ({ round, to }) => {
      const namespace = `round-${round}`;
      const mark = plane.audit.mark();
      const standby = await start(to);
      const previous = await holderOf(plane, LEASE);
      await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
      // Without the account the server refuses pods, and refused creates would look like those that the kill cuts off.
      await isThere(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
      const history = await followPods(plane, namespace);
      await createSets(plane, namespace);
      await eventually(() => history.events.length >= PODS / 4 || undefined);
      const from = leader.side;
      await leader.program.stop("SIGKILL");
      // If the machine suspends this process for two seconds, the burst ends before the kill, and the round proves
      // less.
      if ((await podNames(namespace)).length < PODS) busyRounds++;
      leader = standby;
      await plane.request("POST", "/api/v1/namespaces", { metadata: { name: `${namespace}-late` } });
      const gone = (await podNames(namespace)).slice(0, DELETED);
      for (const name of gone) {
        await plane.request("DELETE", `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`);
      }

      await eventually(async () => {
        const sets = await read<SetList>(`/apis/apps/v1/namespaces/${namespace}/replicasets`);
        const isCounted = sets.items.every(({ status }) => status?.replicas === REPLICAS);
        return isCounted && (await podNames(namespace)).length === PODS ? true : undefined;
      }, LIMIT_MS);
      const late = `/api/v1/namespaces/${namespace}-late`;
      for (const path of [`${late}/serviceaccounts/default`, `${late}/configmaps/kube-root-ca.crt`]) {
        await isThere(path);
      }
      expect(await holderOf(plane, LEASE)).not.toBe(previous);

      const changes = await history.end();
      const named = (type: string): readonly string[] =>
        changes.filter((event) => event.type === type).map(({ object }) => object.metadata.name);
      const born = named("ADDED");
      expect(born.length).toBe(PODS + DELETED);
      expect(new Set(born).size).toBe(born.length);
      expect(named("DELETED").toSorted()).toEqual(gone.toSorted());

      // Each pod comes from one answered create, or from one that the killed process sent and got no answer to. The log
      // may lag behind the answers: it is complete when it accounts for every pod.
      const { events, answered, cutOff, unanswered } = await eventually(() => {
        const events = plane.audit.since(mark);
        const asked = writesOf(events).filter(
          ({ verb, objectRef }) =>
            verb === "create" && objectRef?.resource === "pods" && objectRef.namespace === namespace,
        );
        const [answered, cutOff] = [asked.filter(isCreated), asked.filter((event) => !isCreated(event))];
        const logged = new Set(answered.map(nameOf));
        const unanswered = born.filter((name) => !logged.has(name));
        return unanswered.length <= cutOff.length ? { events, answered, cutOff, unanswered } : undefined;
      });
      const writes = writesOf(events);
      expect(writes.filter(({ verb, objectRef }) => verb === "delete" && objectRef?.resource === "pods")).toEqual([]);
      expect(new Set(answered.map(({ side }) => side))).toEqual(new Set(["go", "ours"]));
      const names = answered.map(nameOf);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !born.includes(name))).toEqual([]);
      expect(cutOff.filter((event) => event.side !== from || !isCutOff(event))).toEqual([]);
      figures.push(
        `round ${round} to ${to}: ${born.length} pods, ${names.length} creates answered, ${cutOff.length} cut off (${cutOff.map(({ responseStatus }) => responseStatus?.code).join(" ")}; ${unanswered.length} of them done)\n`,
      );

      const [takeover, ...more] = reigns(leaseWrites(events, LEASE)).filter(({ holder }) => holder !== previous);
      expect(more).toEqual([]);
      expect(takeover?.side).toBe(to);
      for (const { side, requestReceivedTimestamp: at } of writes) {
        expect(side).toBe(at < (takeover?.receivedAt ?? "") ? from : to);
      }
    },
    LIMIT_MS,
  );

  it("the kill came in the middle of the burst in most rounds", () => {
    expect(busyRounds).toBeGreaterThan(ROUNDS / 2);
  });
});

interface PodHistory {
  readonly events: readonly PodEvent[];
  /** Resolves to every change up to now. */
  end(): Promise<readonly PodEvent[]>;
}

/** Records every change to the pods of a new namespace. */
async function followPods(plane: ControlPlane, namespace: string): Promise<PodHistory> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const { pki, admin: client, server } = plane;
  const stream = await openHttps({ url: `${server}${path}?watch=true`, caPem: pki.ca.certificatePem, client });
  expect(stream.statusCode).toBe(200);
  const events: PodEvent[] = [];
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    events.push(...lines.map((line) => JSON.parse(line) as PodEvent));
  });
  const end = async (): Promise<readonly PodEvent[]> => {
    // Events come in order: when the marker arrives, all earlier events have arrived.
    const marker = {
      metadata: { name: "marker" },
      spec: { containers: [{ name: "main", image: "example/marker:1" }] },
    };
    expect((await plane.request("POST", path, marker)).status).toBe(201);
    await eventually(() => events.some(({ object }) => object.metadata?.name === "marker") || undefined);
    stream.destroy();
    expect(events.filter(({ type }) => type === "ERROR")).toEqual([]);
    return events.filter(({ object }) => object.metadata.name !== "marker");
  };
  return { events, end };
}

function isCreated({ responseStatus }: AuditEvent): boolean {
  return responseStatus?.code === 201;
}

/**
 * Whether the server ended the request because its client was gone: by a timeout, by "client disconnected", or with
 * 499.
 */
function isCutOff({ responseStatus: { code = 0 } = {} }: AuditEvent): boolean {
  return code >= 499;
}

function nameOf({ responseObject }: AuditEvent): string {
  return (responseObject as { metadata?: { name?: string } } | undefined)?.metadata?.name ?? "";
}

async function createSets(plane: ControlPlane, namespace: string): Promise<void> {
  for (let index = 0; index < SETS; index++) {
    const labels = { app: `web-${index}` };
    const created = await plane.request("POST", `/apis/apps/v1/namespaces/${namespace}/replicasets`, {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: `web-${index}` },
      spec: {
        replicas: REPLICAS,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
      },
    });
    expect(created.status).toBe(201);
  }
}
