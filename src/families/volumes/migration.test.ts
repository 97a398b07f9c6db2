import { expect, it } from "vitest";
import { driverOfPlugin, migratedPluginOf } from "./migration.ts";

it("knows the drivers of migrated plugins", () => {
  expect(driverOfPlugin("kubernetes.io/azure-file")).toBe("file.csi.azure.com");
  expect(driverOfPlugin("kubernetes.io/host-path")).toBeUndefined();
  expect(migratedPluginOf({ cinder: { volumeID: "x" } })).toBe("kubernetes.io/cinder");
  expect(migratedPluginOf({ nfs: { server: "x", path: "/" } })).toBeUndefined();
});
