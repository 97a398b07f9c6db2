// Coordinated leader election on a real API server: the server chooses the leader among the candidates.

import { expect, it } from "vitest";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { describeReal, eventually, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 180_000;
const GATE = "--feature-gates=CoordinatedLeaderElection=true";

interface Candidate {
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, string>>;
}

describeReal("coordinated leader election", () => {
  const plane = useControlPlane({ apiServerFlags: [GATE, "--runtime-config=coordination.k8s.io/v1beta1=true"] });

  it(
    "machinery/3.4.1, machinery/3.4.3 leads when it is picked, and gives way at the end of its term",
    async () => {
      const flags = ["--leader-elect=true", GATE, "-v=4"];
      const list = async <T>(path: string): Promise<T[]> =>
        (JSON.parse((await plane().request("GET", path)).text) as { items?: T[] }).items ?? [];
      const candidates = (): Promise<Candidate[]> =>
        list("/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates");
      const holder = async (): Promise<string | undefined> => {
        const { status, text } = await plane().request(
          "GET",
          "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
        );
        return status === 200
          ? (JSON.parse(text) as { spec: { holderIdentity?: string } }).spec.holderIdentity || undefined
          : undefined;
      };
      const ours = await plane().startManager(ourDaemon, { controllers: sharedControllers, flags });
      await logged(ours, "Successfully acquired lease", 1, 90_000);
      const [own] = await candidates();
      expect(own?.spec).toMatchObject({
        leaseName: "kube-controller-manager",
        binaryVersion: "1.36.4",
        emulationVersion: "1.36.0",
        strategy: "OldestEmulationVersion",
      });
      expect(await holder()).toBe(own?.metadata.name);
      // The API server prefers an older emulation version: our term ends, and the Go program is chosen.
      const go = await plane().startManager(goDaemon(), {
        controllers: sharedControllers,
        flags: [...flags, "--emulated-version=1.35"],
      });
      expect(await ours.ended).toBe("exit code 1");
      expect(ours.log()).toContain("end of term");
      const other = await eventually(async () =>
        (await candidates()).find(({ metadata }) => metadata.name !== own?.metadata.name),
      );
      await eventually(async () => ((await holder()) === other.metadata.name ? true : undefined), 90_000);
      expect(Object.keys(own?.spec ?? {}).sort()).toEqual(
        Object.keys(other.spec)
          .filter((name) => name !== "pingTime")
          .sort(),
      );
      await go.stop();
    },
    LIMIT_MS,
  );
});
