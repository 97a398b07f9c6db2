// Fencing on the real thing: our daemon is stopped (SIGSTOP) in the middle of a burst for longer than its lease is
// good, the Go manager takes over, ours wakes up. From the moment at which its lease could have expired it must not
// have written anything, whatever it had begun; the audit log tells.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, type RunningManager, startControlPlane } from "./control-plane.ts";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { holderOf, leaseWrites, shortLease, writesOf } from "./leadership.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 180_000;
const STOPPED_MS = 20_000;
const REPLICAS = 2000;

describeReal("a leader that was stopped", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  }, LIMIT_MS);
  afterAll(async () => {
    await plane?.stop();
  });

  const start = (command: readonly [string, ...string[]], lease: string): Promise<RunningManager> =>
    plane.startManager(command, {
      controllers: sharedControllers,
      // More writes at once than connections, so that some are waiting wherever the process is stopped.
      flags: [
        ...shortLease.flags,
        `--leader-elect-resource-name=${lease}`,
        "--kube-api-qps=1000",
        "--kube-api-burst=2000",
      ],
    });

  it(
    "machinery/3.1.8 writes nothing after its lease could have expired, and exits",
    async () => {
      const lease = "fenced";
      const ours = await start(ourDaemon, lease);
      await eventually(async () => ((await holderOf(plane, lease)) === "" ? undefined : true));
      const go = await start(goDaemon(), lease);
      const { namespace, podCount } = await burst(plane);
      await eventually(async () => ((await podCount()) >= 100 ? true : undefined));
      process.kill(ours.pid, "SIGSTOP");
      const stoppedAt = new Date().toISOString();
      await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
      process.kill(ours.pid, "SIGCONT");
      expect(await ours.ended).toBe("exit code 1");
      expect(ours.log()).toContain("leaderelection lost/stopped");

      const events = plane.audit.since();
      const renewals = leaseWrites(events, lease);
      const lastOfOurs = renewals.findLast(({ side }) => side === "ours")?.receivedAt ?? "";
      const expiry = new Date(Date.parse(lastOfOurs) + shortLease.durationMs).toISOString();
      const writes = writesOf(events).filter(({ side }) => side === "ours");
      expect(writes.filter((write) => write.requestReceivedTimestamp < stoppedAt).length).toBeGreaterThan(100);
      const late = writes.filter((write) => write.requestReceivedTimestamp >= expiry);
      expect(late.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);

      // The successor finishes what ours had begun, and no pod is there twice.
      expect(renewals.some(({ side, receivedAt }) => side === "go" && receivedAt > stoppedAt)).toBe(true);
      await eventually(async () => ((await podCount()) === REPLICAS ? true : undefined), LIMIT_MS);
      const created = writesOf(plane.audit.since()).filter(
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

async function burst(plane: ControlPlane): Promise<{ namespace: string; podCount: () => Promise<number> }> {
  const namespace = "fencing";
  await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await eventually(async () =>
    (await plane.request("GET", `/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status === 200
      ? true
      : undefined,
  );
  const labels = { app: "web" };
  await plane.request("POST", `/apis/apps/v1/namespaces/${namespace}/replicasets`, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web" },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
    },
  });
  const podCount = async (): Promise<number> => {
    const { text } = await plane.request("GET", `/api/v1/namespaces/${namespace}/pods?limit=1`);
    const list = JSON.parse(text) as { items: unknown[]; metadata: { remainingItemCount?: number } };
    return list.items.length + (list.metadata.remainingItemCount ?? 0);
  };
  return { namespace, podCount };
}
