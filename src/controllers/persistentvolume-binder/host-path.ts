// Volumes that are directories on the machine of this program: for tests on one machine.
// Upstream: pkg/volume/hostpath/host_path.go.

import type { PersistentVolume } from "#api/generated/types/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import type { Files } from "#base/host.ts";
import type { Rng } from "#base/rng.ts";
import { CREATED_BY } from "#families/volumes/binding-annotations.ts";
import type { Claim } from "#families/volumes/claim-matching.ts";
import { HOST_PATH } from "./plugins.ts";

/** The parent of all volumes: other directories are never deleted. */
const TEMPORARY = "/tmp";

/** Creates the directory. Returns only the volume's storage: the caller adds the claim. */
export function provisionHostPath(
  claim: Claim,
  { reclaimPolicy = "Delete" }: StorageClass,
  { files, rng }: { readonly files: Files; readonly rng: Rng },
): Pick<PersistentVolume, "metadata" | "spec"> {
  const { accessModes = [], resources, volumeMode } = claim.spec ?? {};
  if (volumeMode === "Block") throw new Error(`${HOST_PATH} does not support block volume provisioning`);
  const path = `${TEMPORARY}/hostpath_pv/${rng.uuid()}`;
  files.makeDirectory(path);
  return {
    metadata: { annotations: { [CREATED_BY]: "hostpath-dynamic-provisioner" } },
    spec: {
      persistentVolumeReclaimPolicy: reclaimPolicy,
      accessModes: accessModes.length === 0 ? ["ReadWriteOnce"] : accessModes,
      capacity: { storage: resources?.requests?.storage ?? "0" },
      hostPath: { path },
    },
  };
}

/** Removes the directory, if it is inside the directory for temporary volumes. */
export function deleteHostPath(path: string, files: Files): void {
  if (!new RegExp(`${TEMPORARY}/.+`).test(path)) {
    throw new Error(`host_path deleter only supports ${TEMPORARY}/.+ but received provided ${path}`);
  }
  files.removeAll(path);
}
