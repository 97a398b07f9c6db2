import { describe, expect, it } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { markedClaim, markedVolume } from "./migration-marks.ts";

const BY = "pv.kubernetes.io/provisioned-by";
const TO = "pv.kubernetes.io/migrated-to";
const IN_TREE = "kubernetes.io/pv-controller";
const EXTERNAL = "external-provisioner.volume.kubernetes.io/finalizer";

const volume = (annotations: Record<string, string>, finalizers: string[], persistentVolumeReclaimPolicy = "Delete") =>
  stored(PersistentVolumes, {
    metadata: { name: "v", annotations, finalizers },
    spec: { persistentVolumeReclaimPolicy },
  });

describe("persistentvolume-binder/15 the finalizers of provisioned volumes", () => {
  it.each([
    ["kubernetes.io/host-path", "Delete", [], [IN_TREE]],
    ["kubernetes.io/host-path", "Delete", ["x", EXTERNAL], ["x", IN_TREE]],
    ["kubernetes.io/host-path", "Delete", [IN_TREE, "x"], undefined],
    ["kubernetes.io/host-path", "Retain", [IN_TREE, "x"], ["x"]],
    ["kubernetes.io/host-path", "Recycle", [IN_TREE, EXTERNAL], []],
    ["kubernetes.io/host-path", "Retain", ["x"], undefined],
    ["kubernetes.io/gce-pd", "Delete", [EXTERNAL, IN_TREE], [EXTERNAL]],
    ["csi.example.com", "Delete", [EXTERNAL, IN_TREE], undefined],
  ])("of %s with %s: %j become %j", (plugin, policy, before, after) => {
    const marks = plugin === "kubernetes.io/gce-pd" ? { [TO]: "pd.csi.storage.gke.io" } : {};
    const known = volume({ [BY]: plugin, ...marks }, before, policy);
    const marked = markedVolume(known);
    if (after === undefined) expect(marked).toBe(known);
    else expect(marked.metadata.finalizers).toEqual(after);
  });

  it("stay as they are on a volume that a user made", () => {
    const known = volume({ [TO]: "x" }, [IN_TREE, EXTERNAL]);
    expect(markedVolume(known)).toBe(known);
  });
});

describe("persistentvolume-binder/3 the mark of the CSI driver", () => {
  it("follows the plugin of the volume", () => {
    const annotations = { [BY]: "kubernetes.io/vsphere-volume" };
    expect(markedVolume(volume(annotations, [])).metadata.annotations).toEqual({
      ...annotations,
      [TO]: "csi.vsphere.vmware.com",
    });
    const other = volume({ [BY]: "csi.example.com", [TO]: "csi.vsphere.vmware.com" }, []);
    expect(markedVolume(other).metadata.annotations).toEqual({ [BY]: "csi.example.com" });
  });

  it("follows the provisioner of the claim, by either annotation", () => {
    for (const name of ["volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner"]) {
      const claim = stored(PersistentVolumeClaims, {
        metadata: { name: "c", annotations: { [name]: "kubernetes.io/portworx-volume" } },
      });
      expect(markedClaim(claim).metadata.annotations?.[TO]).toBe("pxd.portworx.com");
    }
  });
});
