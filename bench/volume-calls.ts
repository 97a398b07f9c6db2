// Counts the API calls of the binder, ours and the Go manager's. Volumes are created; when all are available, the same
// number of claims, each of which matches any volume. Then all claims are deleted, and the volumes are released.
//   bun bench/volume-calls.ts [--claims=1000] [--quick] [--per-second=100] [--qps=20]
// --quick: 100 claims. Ends with an error if ours makes more calls. Nothing is written.

import { argv, stdout } from "node:process";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import { type ControlPlane, startControlPlane } from "#test/real/control-plane.ts";
import { adminClient, type Calls, callsSince, quiet, sleep, tellCalls, totalCalls } from "./plane.ts";

const option = (name: string, usual: number): number => {
  const given = argv.findLast((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? usual : Number(given.slice(name.length + 3));
};
const count = option("claims", argv.includes("--quick") ? 100 : 1000);
const perSecond = option("per-second", 100);
/** --kube-api-qps of each controller's client. */
const qps = option("qps", 20);

const controllers = ["persistentvolume-binder-controller"];
const ourProgram = new URL("../src/cmd/kube-controller-manager.ts", import.meta.url).pathname;
const namespace = "default";
const storageClassName = "by-hand";
const BINDER = /:persistent-volume-binder$/;
const QUIET_MS = 3000;
const { signal } = new AbortController();

async function countCalls(manager: "go" | "ours"): Promise<Readonly<Record<string, Calls>>> {
  // Claims have no protection finalizer, because its controller does not run: a deleted claim is gone at once.
  const plane = await startControlPlane({
    apiServerFlags: ["--disable-admission-plugins=StorageObjectInUseProtection,ServiceAccount"],
  });
  try {
    const client = await adminClient(plane);
    const [volumes, claims] = [client.resource(PersistentVolumes), client.resource(PersistentVolumeClaims)];
    const options = { controllers, flags: [`--kube-api-qps=${qps}`, `--kube-api-burst=${Math.ceil(1.5 * qps)}`] };
    if (manager === "go") await plane.startGoManager(options);
    else await plane.startManager([process.execPath, ourProgram], options);
    await quiet(plane, QUIET_MS);
    const untilVolumes = (phase: string) => untilAll(plane, async () => (await volumes.list({}, signal)).items, phase);
    const part = async (work: (index: number) => Promise<unknown>, until: () => Promise<void>): Promise<Calls> => {
      const mark = plane.audit.mark();
      await each(work);
      await until();
      return callsSince(plane, mark, BINDER);
    };
    return {
      volumes: await part(
        (index) => volumes.create({ object: volume(index) }, signal),
        () => untilVolumes("Available"),
      ),
      binding: await part(
        (index) => claims.create({ namespace, object: claim(index) }, signal),
        async () => {
          await untilAll(plane, async () => (await claims.list({ namespace }, signal)).items, "Bound");
          await untilVolumes("Bound");
        },
      ),
      release: await part(
        (index) => claims.delete({ namespace, name: claimName(index) }, signal),
        () => untilVolumes("Released"),
      ),
    };
  } finally {
    await plane.stop();
  }
}

const accessModes = ["ReadWriteOnce"];
const claimName = (index: number): string => `claim-${index}`;

const volume = (index: number): { metadata: { name: string } } & Pick<PersistentVolume, "spec"> => ({
  metadata: { name: `volume-${index}` },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes,
    storageClassName,
    persistentVolumeReclaimPolicy: "Retain",
    csi: { driver: "csi.example.com", volumeHandle: `handle-${index}` },
  },
});

const claim = (index: number): { metadata: { name: string } } & Pick<PersistentVolumeClaim, "spec"> => ({
  metadata: { name: claimName(index) },
  spec: { accessModes, storageClassName, resources: { requests: { storage: "1Gi" } } },
});

/** Starts the steps at the pace, even if earlier steps have not ended. */
async function each(step: (index: number) => Promise<unknown>): Promise<void> {
  const beginMs = performance.now();
  const steps: Promise<unknown>[] = [];
  for (let index = 0; index < count; index++) {
    await sleep(Math.max(0, beginMs + (index * 1000) / perSecond - performance.now()));
    steps.push(step(index));
  }
  await Promise.all(steps);
}

/** Waits until all objects are in the phase and writes have stopped. */
async function untilAll(
  plane: ControlPlane,
  list: () => Promise<readonly { readonly status?: { readonly phase?: string } }[]>,
  phase: string,
): Promise<void> {
  for (;;) {
    await quiet(plane, QUIET_MS);
    const objects = await list();
    if (objects.length === count && objects.every(({ status }) => status?.phase === phase)) return;
  }
}

stdout.write(`${count} claims and volumes, ${perSecond} steps a second, ${qps} calls a second allowed\n`);
const go = await countCalls("go");
tellCalls("go", go);
const ours = await countCalls("ours");
tellCalls("ours", ours);
process.exit(totalCalls(ours) <= totalCalls(go) ? 0 : 1);
