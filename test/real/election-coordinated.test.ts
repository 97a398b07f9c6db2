// The API server's coordinated election expects a candidate to answer pings. Ours does. A preferred candidate that does
// not answer, or has not renewed for long, is passed over.

import { expect, it } from "vitest";
import { ourDaemon, sharedControllers } from "./daemon.ts";
import { holderOf } from "./leadership.ts";
import { describeReal, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 180_000;
const GATE = "--feature-gates=CoordinatedLeaderElection=true";
const LEASE = "kube-controller-manager";
const HALF_AN_HOUR_MS = 30 * 60_000;
const PATH = "/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates";

interface Candidate {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly pingTime?: string; readonly renewTime: string };
}

describeReal("a candidate in a coordinated election", () => {
  const plane = useControlPlane({ apiServerFlags: [GATE, "--runtime-config=coordination.k8s.io/v1beta1=true"] });

  it(
    "machinery/3.4.4, machinery/3.4.2 is picked because it answers, where silent and forgotten ones do not",
    async () => {
      const stand = async (name: string, agoMs: number): Promise<void> => {
        const created = await plane().request("POST", PATH, {
          apiVersion: "coordination.k8s.io/v1beta1",
          kind: "LeaseCandidate",
          metadata: { name, namespace: "kube-system" },
          spec: {
            leaseName: LEASE,
            binaryVersion: "1.35.0",
            emulationVersion: "1.35.0",
            strategy: "OldestEmulationVersion",
            renewTime: new Date(Date.now() - agoMs).toISOString().replace("Z", "000Z"),
          },
        });
        expect(created.status).toBe(201);
      };
      const find = async (): Promise<readonly Candidate[]> =>
        (JSON.parse((await plane().request("GET", PATH)).text) as { items: Candidate[] }).items;
      await stand("forgotten", HALF_AN_HOUR_MS + 60_000);
      await stand("silent", 0);
      const program = await plane().startManager(ourDaemon, {
        controllers: sharedControllers,
        flags: ["--leader-elect=true", GATE, "-v=4"],
      });
      await logged(program, "Successfully acquired lease", 1, LIMIT_MS);
      const holder = await holderOf(plane(), LEASE);
      const candidates = await find();
      const own = candidates.find(({ metadata }) => metadata.name === holder);
      expect(own?.spec.pingTime ?? "").not.toBe("");
      expect((own?.spec.renewTime ?? "") >= (own?.spec.pingTime ?? "")).toBe(true);
      expect(["forgotten", "silent"]).not.toContain(holder);
      const silent = candidates.find(({ metadata }) => metadata.name === "silent");
      expect(silent?.spec.pingTime ?? "").not.toBe("");
      await program.stop();
    },
    LIMIT_MS,
  );
});
