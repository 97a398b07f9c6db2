// The lease of our daemon on a real API server, with default flags: its place, its requests and its timeouts.

import { expect, it } from "vitest";
import type { RunningManager } from "./control-plane.ts";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { leaseWrites, sideOf } from "./leadership.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const LEASE = "kube-controller-manager";

describeReal("the lease", () => {
  const plane = useControlPlane();

  it(
    "machinery/3.1.1, machinery/3.1.11 is the Go program's: same object, same identity of the client, same fields",
    async () => {
      const written = async (command: Command): Promise<object> => {
        const mark = plane().audit.mark();
        const program = await plane().startManager(command, {
          controllers: sharedControllers,
          flags: ["--leader-elect=true"],
        });
        await eventually(() => (leaseWrites(plane().audit.since(mark), LEASE).length >= 2 ? true : undefined));
        await program.stop("SIGKILL");
        const events = plane()
          .audit.since(mark)
          .filter((event) => event.objectRef?.resource === "leases" && sideOf(event) !== undefined);
        const creation = events.find(({ verb }) => verb === "create");
        const lease = creation?.requestObject as { apiVersion: string; metadata: object; spec: object };
        await plane().request("DELETE", `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${LEASE}`);
        return {
          users: [...new Set(events.map(({ user }) => user.username))],
          agents: [...new Set(events.map(({ userAgent = "" }) => userAgent.split("/").at(-1)))],
          namespace: creation?.objectRef?.namespace,
          apiVersion: lease.apiVersion,
          metadata: lease.metadata,
          fields: Object.entries(lease.spec).map(([name, value]) => `${name}: ${shapeOf(value)}`),
          calls: events.slice(0, 3).map(({ verb, responseStatus }) => `${verb} ${responseStatus?.code}`),
        };
      };
      const go = await written(goDaemon());
      expect(await written(ourDaemon)).toEqual(go);
    },
    LIMIT_MS,
  );

  it(
    "machinery/3.1.1 is asked for with patience of half the renew deadline",
    async () => {
      const proxy = await plane().startFaultProxy();
      const kubeconfig = plane().kubeconfigFor({ user: "system:kube-controller-manager" }, proxy.server);
      const flags = ["--leader-elect=true", "--leader-elect-resource-name=patience", `--kubeconfig=${kubeconfig}`];
      const silence = proxy.inject({ method: "GET", path: /leases\/patience$/ }, { kind: "stall" });
      const program: RunningManager = await plane().startManager(ourDaemon, { controllers: sharedControllers, flags });
      // A request that is not answered within 5 s fails, and the next one follows.
      await eventually(() => (silence.hits >= 2 ? true : undefined), LIMIT_MS);
      expect(program.log()).toContain('"Error retrieving lease lock" err=');
      silence.remove();
      await logged(program, "Successfully acquired lease");
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );
});

/** The shape of the value, without digits and letters. */
function shapeOf(value: unknown): string {
  return String(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID")
    .replaceAll(/\d/g, "0");
}
