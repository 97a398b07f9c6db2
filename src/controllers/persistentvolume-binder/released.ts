// Whether a volume may be deleted or recycled. Upstream: pkg/controller/volume/persistentvolume, isVolumeReleased.

import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import { claimKeyOf } from "./binding.ts";
import type { KnownObjects } from "./known-objects.ts";

/** True if the claim of the volume is gone or has another volume. */
export function isReleased(volume: Volume, { knownClaims }: { readonly knownClaims: KnownObjects<Claim> }): boolean {
  const claimRef = volume.spec?.claimRef;
  if (!claimRef?.uid) return false;
  const claim = knownClaims.get(claimKeyOf(claimRef));
  if (claim?.metadata.uid !== claimRef.uid) return true;
  const volumeName = claim.spec?.volumeName ?? "";
  return volumeName !== "" && volumeName !== volume.metadata.name;
}
