import { expect, it } from "vitest";
import { PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { stored } from "#api/testing.ts";
import { pluginOf, type VolumePlugin } from "./plugins.ts";
import { defaultRecyclerPod, recyclerPod } from "./recycler-pod.ts";

const settings = (template: Pod = defaultRecyclerPod) => ({
  hostPath: { template, minimumTimeoutSeconds: 60, timeoutIncrementSeconds: 30 },
  nfs: { template, minimumTimeoutSeconds: 300, timeoutIncrementSeconds: 40 },
  provisionsHostPaths: false,
});
const nfs = (storage: string) =>
  stored(PersistentVolumes, {
    metadata: { name: "v" },
    spec: { capacity: { storage }, nfs: { server: "s", path: "/x", readOnly: true } },
  });
const plugin = pluginOf({ nfs: { server: "s", path: "/x" } }) as VolumePlugin;

it("persistentvolume-binder/17, persistentvolume-binder/config the deadline grows with whole gibibytes", () => {
  const deadline = (storage: string) => recyclerPod(nfs(storage), plugin, settings()).spec?.activeDeadlineSeconds;
  expect(deadline("1Gi")).toBe(300);
  expect(deadline("10Gi")).toBe(400);
  expect(deadline("11G")).toBe(400);
});

it("persistentvolume-binder/17 the volume replaces the first one of the template, which stays unchanged", () => {
  const template: Pod = {
    metadata: { namespace: "cleaners", generateName: "x-", labels: { a: "b" } },
    spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "vol", emptyDir: {} }, { name: "more" }] },
  };
  const pod = recyclerPod(nfs("1Gi"), plugin, settings(template));
  expect(pod.metadata).toEqual({ namespace: "cleaners", labels: { a: "b" }, name: "recycler-for-v" });
  expect(pod.spec?.volumes).toEqual([{ name: "vol", nfs: { server: "s", path: "/x" } }, { name: "more" }]);
  expect(template.spec?.volumes?.[0]).toEqual({ name: "vol", emptyDir: {} });
});
