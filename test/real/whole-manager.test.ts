// The whole manager compared with the Go program's, each on a separate control plane with the same objects: started
// controllers, health, configuration, identities and metrics. No controller is selected.

import { expect, it } from "vitest";
import { knownControllers } from "#kit/known-controllers.ts";
import type { RunningManager } from "./control-plane.ts";
import { daemonOf, type Side, sides } from "./daemon.ts";
import { describedIn, seriesOf } from "./metric-page.ts";
import { recordedRequestKinds, requestKindsOf } from "./request-kinds.ts";
import { describeReal, eventually, logged, useControlPlane, useForSuite } from "./suite.ts";
import { clusterObjects, NAMESPACE, namespacedObjects } from "./whole-manager-objects.ts";

const LIMIT_MS = 120_000;
const METRICS_MS = 40_000;
/** Of 52: 3 need a cloud, 3 are off by default, 6 by their gate, and node-ipam has no --allocate-node-cidrs. */
const STARTED = 39;
/** Both programs make more than 200 kinds of requests here. */
const KINDS_MIN = 180;

/** Uses the manager's own credentials. */
const TOKEN_CONTROLLER = "serviceaccount-token-controller";

interface Excuse {
  readonly name: RegExp;
  /** The program that may show the metric alone. */
  readonly side: Side | "either";
  readonly why: string;
}

/** Metrics that only one of the programs shows. */
const families: readonly Excuse[] = [
  { name: /^go_/, side: "go", why: "metrics of Go's runtime" },
  { name: /^nodejs_/, side: "ours", why: "metrics of our runtime" },
  {
    name: /^(?:daemonset|job|replicaset)_controller_stale_sync_skips_total$/,
    side: "either",
    why: "shown once a sync has met a cache that is older than the last write, which is chance",
  },
];

/** Series of the metrics in `comparedSeries` that only one of the programs shows. */
const series: readonly Excuse[] = [
  {
    name: /^workqueue_\w+\{name="(?:Dynamic|RequestHeader)/,
    side: "go",
    why: "ours follows files and the cluster's configuration without queues",
  },
  {
    name: /^workqueue_retries_total\{name="(?:node_lifecycle_controller|noexec_taint_node|noexec_taint_pod)"\}/,
    side: "ours",
    why: "every queue of ours can retry; these three of the Go program cannot",
  },
  {
    name: new RegExp(
      `resource="(?:${[
        "limitranges",
        "podtemplates",
        "mutatingadmissionpolicybindings",
        "mutatingadmissionpolicys",
        "mutatingwebhookconfigurations",
        "validatingadmissionpolicybindings",
        "validatingwebhookconfigurations",
        "flowschemas",
        "prioritylevelconfigurations",
        "ingressclasss",
        "ingresss",
        "networkpolicys",
        "runtimeclasss",
        "clusterrolebindings",
        "rolebindings",
        "roles",
        "priorityclasss",
        "csistoragecapacitys",
      ].join("|")})"`,
    ),
    side: "go",
    why: "only the garbage collector and the quotas watch these, and ours for their metadata alone",
  },
];

const comparedSeries = [
  "workqueue_depth",
  "workqueue_retries_total",
  "informer_queued_items",
  "informer_processing_latency_seconds_count",
  "leader_election_master_status",
  "running_managed_controllers",
];

/** One metric per controller that has one after some work. */
const shownAfterWork = [
  "endpoint_slice_controller_changes",
  "endpoint_slice_mirroring_controller_changes",
  "ephemeral_volume_controller_create_total",
  "horizontal_pod_autoscaler_controller_reconciliations_total",
  "job_controller_jobs_finished_total",
  "node_collector_zone_size",
  "pv_collector_bound_pv_count",
  "resourceclaim_controller_creates_total",
  "root_ca_cert_publisher_sync_total",
];

const inside = `--namespace=${NAMESPACE}`;

describeReal("the whole manager", () => {
  const planes = { go: useControlPlane(), ours: useControlPlane() };
  const managers = useForSuite(
    async () => {
      const start = async (side: Side): Promise<RunningManager> => {
        const program = await planes[side]().startManager(daemonOf(side), { flags: ["--leader-elect=true", "-v=1"] });
        await logged(program, "Controller starting...", STARTED);
        return program;
      };
      const [go, ours] = await Promise.all([start("go"), start("ours")]);
      return { go, ours };
    },
    async ({ go, ours }) => void (await Promise.all([go.stop("SIGKILL"), ours.stop("SIGKILL")])),
  );
  const fromBoth = <T>(ask: (side: Side) => Promise<T>): Promise<readonly T[]> => Promise.all(sides.map(ask));

  it("machinery/1.4.n1 starts the controllers that the Go program starts", () => {
    expect(startedBy("go")).toHaveLength(STARTED);
    expect(startedBy("ours")).toEqual(startedBy("go"));
  });

  it("machinery/2.2.r1, core/5 has the Go program's health checks", async () => {
    const [go, ours] = await fromBoth(async (side) =>
      (await managers()[side].page("/healthz?verbose")).split("\n").sort(),
    );
    expect(go?.filter((line) => line.startsWith("[+]"))).toHaveLength(STARTED + 1);
    expect(ours).toEqual(go);
  });

  it("machinery/2.2.r6 shows the Go program's configuration", async () => {
    const [go, ours] = await fromBoth(async (side) =>
      (await managers()[side].page("/configz")).replaceAll(planes[side]().directory, "DIR"),
    );
    const parsed = (text = "{}"): unknown => withSortedEvents(JSON.parse(text));
    expect(parsed(ours)).toEqual(parsed(go));
  });

  it("machinery/1.7.r21 makes the Go program's service accounts", async () => {
    const accounts = async (side: Side): Promise<readonly string[]> => {
      const path = "/api/v1/namespaces/kube-system/serviceaccounts";
      const { items } = JSON.parse((await planes[side]().request("GET", path)).text) as {
        items: { metadata: { name: string } }[];
      };
      return items.map(({ metadata }) => metadata.name).sort();
    };
    await eventually(async () =>
      (await fromBoth(accounts)).every((all) => all.includes("default")) ? true : undefined,
    );
    const [go = [], ours] = await fromBoth(accounts);
    const started = startedBy("go").filter((name) => name !== TOKEN_CONTROLLER);
    const identities = knownControllers.filter(({ name }) => started.includes(name)).map(({ identity }) => identity);
    expect(go).toEqual([...new Set(["default", ...identities])].sort());
    expect(ours).toEqual(go);
  });

  it(
    "machinery/6.n2 shows the Go program's metrics while nothing is asked of it",
    async () => expect(await metricDifferences()).toEqual([]),
    LIMIT_MS,
  );

  it(
    "machinery/6.n2 shows the Go program's metrics once controllers of all families have worked",
    async () => {
      await fromBoth(async (side) => {
        await apply(side, clusterObjects);
        // Pods need the account.
        const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`;
        await eventually(async () =>
          (await planes[side]().request("GET", account)).status === 200 ? true : undefined,
        );
        await apply(side, namespacedObjects);
        await finishJob(side);
      });
      expect(await metricDifferences(shownAfterWork)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.7.r21 empties a namespace, and is never refused by the roles of the accounts",
    async () => {
      await fromBoth(async (side) => {
        const path = `/api/v1/namespaces/${NAMESPACE}`;
        expect((await planes[side]().request("DELETE", path)).status).toBe(200);
        await eventually(async () => ((await planes[side]().request("GET", path)).status === 404 ? true : undefined));
      });
      const forbidden = planes
        .ours()
        .audit.since()
        .filter(({ responseStatus }) => responseStatus?.code === 403)
        // Creates in a terminating namespace are refused with the same status, whatever the roles allow.
        .filter(({ responseStatus }) => responseStatus?.message?.includes("because it is being terminated") !== true)
        .map(({ user, verb, requestURI }) => `${user.username} ${verb} ${requestURI}`);
      expect(forbidden).toEqual([]);
      expect(await metricDifferences()).toEqual([]);
      expect(sides.map((side) => managers()[side].isRunning)).toEqual([true, true]);
    },
    LIMIT_MS,
  );

  it("machinery/1.7.r21 makes no kind of request that the Go program does not make, here or in a scenario", () => {
    const [go, ours] = [planes.go(), planes.ours()].map(({ audit }) => requestKindsOf(audit.since()));
    const known = new Set([...(go ?? []), ...recordedRequestKinds()]);
    expect(ours?.size).toBeGreaterThan(KINDS_MIN);
    expect([...(ours ?? [])].filter((kind) => !known.has(kind))).toEqual([]);
  });

  function startedBy(side: Side): readonly string[] {
    const log = managers()[side].log();
    return [...log.matchAll(/Controller starting\.\.\." controller="([^"]+)"/g)].map(([, name = ""]) => name).sort();
  }

  async function apply(side: Side, items: readonly object[]): Promise<void> {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { code, stderr } = await planes[side]().kubectl(["apply", "-f", "-"], list);
    if (code !== 0) throw new Error(stderr);
  }

  /** Acts as a kubelet: the pod of the Job has completed. */
  async function finishJob(side: Side): Promise<void> {
    const pod = await eventually(async () => {
      const { stdout } = await planes[side]().kubectl([
        "get",
        "pods",
        "--selector=job-name=once",
        "--output=name",
        inside,
      ]);
      return stdout.trim() || undefined;
    });
    const patch = ["--subresource=status", "--patch", JSON.stringify({ status: { phase: "Succeeded" } })];
    const { code, stderr } = await planes[side]().kubectl(["patch", pod, ...patch, inside]);
    if (code !== 0) throw new Error(stderr);
  }

  /** The differences that remain after a wait and that no excuse covers. */
  async function metricDifferences(mustBeShown: readonly string[] = []): Promise<readonly string[]> {
    const deadline = performance.now() + METRICS_MS;
    for (;;) {
      const [go = "", ours = ""] = await fromBoth((side) => managers()[side].page("/metrics"));
      const absent = mustBeShown.filter((name) => !go.includes(`# TYPE ${name} `));
      const left = [...differencesBetween(go, ours), ...absent.map((name) => `not shown: ${name}`)];
      if (left.length === 0 || performance.now() > deadline) return left;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
});

function differencesBetween(go: string, ours: string): readonly string[] {
  const [described, own] = [describedIn(go), describedIn(ours)];
  const both = [...described.keys()].filter((name) => own.has(name));
  const comparable = (text: string): readonly string[] => comparedSeries.flatMap((name) => seriesOf(name, text));
  return [
    ...oneSided([...described.keys()], [...own.keys()], families),
    ...oneSided(comparable(go), comparable(ours), series),
    ...both
      .filter((name) => described.get(name) !== own.get(name))
      .map((name) => `${name}: go ${described.get(name)}; ours ${own.get(name)}`),
  ];
}

function oneSided(go: readonly string[], ours: readonly string[], excuses: readonly Excuse[]): readonly string[] {
  const only = (side: Side, names: readonly string[], others: readonly string[]): readonly string[] =>
    names
      .filter((name) => !others.includes(name))
      .filter((name) => !excuses.some((e) => e.name.test(name) && (e.side === side || e.side === "either")))
      .map((name) => `only ${side}: ${name}`);
  return [...only("go", go, ours), ...only("ours", ours, go)];
}

/** The Go program lists the two resources of events in random order. */
function withSortedEvents(configz: unknown): unknown {
  return JSON.parse(JSON.stringify(configz), (key, value: unknown) =>
    key === "GCIgnoredResources" && Array.isArray(value)
      ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : value,
  );
}
