// Fencing on the real API server. Our daemon is stopped (SIGSTOP) with writes waiting behind its rate limiter, the Go
// manager takes over, and ours wakes up. All waiting writes are then due at once, before ours can know of its
// successor. After the time at which its lease could have expired, no request of ours may arrive. The audit log shows
// the requests.

import { expect, it } from "vitest";
import type { ControlPlane, RunningManager } from "./control-plane.ts";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { holderOf, leaseWrites, shortLease, writesOf } from "./leadership.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 180_000;
const SETS = 5;
const REPLICAS_PER_SET = 40;
const REPLICAS = SETS * REPLICAS_PER_SET;
/** So few writes per second that all workers of the controller are always waiting. */
const SLOW = ["--kube-api-qps=5", "--kube-api-burst=5"];
const FAST = ["--kube-api-qps=1000", "--kube-api-burst=2000"];

describeReal("a leader that was stopped", () => {
  const plane = useControlPlane();

  const start = (command: Command, lease: string, pace: readonly string[]): Promise<RunningManager> =>
    plane().startManager(command, {
      controllers: sharedControllers,
      flags: [...shortLease.flags, `--leader-elect-resource-name=${lease}`, ...pace],
    });

  it(
    "machinery/3.1.8 writes nothing after its lease could have expired, and exits",
    async () => {
      const lease = "fenced";
      const ours = await start(ourDaemon, lease, SLOW);
      const holder = await eventually(async () => (await holderOf(plane(), lease)) || undefined);
      const go = await start(goDaemon(), lease, FAST);
      const { namespace, podCount } = await makeSets(plane());
      // From here on every worker has a batch in progress, and most of the pods are still missing.
      await eventually(async () => ((await podCount()) >= 3 * SETS ? true : undefined));
      process.kill(ours.pid, "SIGSTOP");
      const stoppedAt = new Date().toISOString();
      expect(await podCount()).toBeLessThan(REPLICAS / 2);
      await eventually(async () => ((await holderOf(plane(), lease)) === holder ? undefined : true));
      process.kill(ours.pid, "SIGCONT");
      expect(await ours.ended).toBe("exit code 1");
      expect(ours.log()).toContain("leaderelection lost/stopped");

      const events = plane().audit.since();
      const renewals = leaseWrites(events, lease);
      const lastOfOurs = renewals.findLast(({ side }) => side === "ours")?.receivedAt ?? "";
      const expiry = new Date(Date.parse(lastOfOurs) + shortLease.durationMs).toISOString();
      const writes = writesOf(events).filter(({ side }) => side === "ours");
      expect(writes.filter((write) => write.requestReceivedTimestamp < stoppedAt).length).toBeGreaterThan(3 * SETS);
      const late = writes.filter((write) => write.requestReceivedTimestamp >= expiry);
      expect(late.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);

      // The successor finishes the work of ours, and no pod exists twice.
      expect(renewals.some(({ side, receivedAt }) => side === "go" && receivedAt > stoppedAt)).toBe(true);
      await eventually(async () => ((await podCount()) === REPLICAS ? true : undefined), LIMIT_MS);
      const created = writesOf(plane().audit.since()).filter(
        ({ verb, objectRef, responseStatus }) =>
          verb === "create" &&
          objectRef?.resource === "pods" &&
          objectRef.namespace === namespace &&
          responseStatus?.code === 201,
      );
      expect(created).toHaveLength(REPLICAS);
      await go.stop();
    },
    LIMIT_MS,
  );
});

/** One set for each worker of the controller. */
async function makeSets(plane: ControlPlane): Promise<{ namespace: string; podCount: () => Promise<number> }> {
  const namespace = "fencing";
  await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await eventually(async () =>
    (await plane.request("GET", `/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status === 200
      ? true
      : undefined,
  );
  for (let index = 0; index < SETS; index++) {
    const labels = { app: `web-${index}` };
    await plane.request("POST", `/apis/apps/v1/namespaces/${namespace}/replicasets`, {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: `web-${index}` },
      spec: {
        replicas: REPLICAS_PER_SET,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
      },
    });
  }
  const podCount = async (): Promise<number> => {
    const { text } = await plane.request("GET", `/api/v1/namespaces/${namespace}/pods?limit=1`);
    const list = JSON.parse(text) as { items: unknown[]; metadata: { remainingItemCount?: number } };
    return list.items.length + (list.metadata.remainingItemCount ?? 0);
  };
  return { namespace, podCount };
}
