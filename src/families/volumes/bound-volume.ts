// The form of a volume that is bound to a claim. Binder and scheduler write it.
// Upstream: component-helpers/storage/volume/pv_helpers.go, GetBindVolumeToClaim

import { PersistentVolumeClaims } from "#api/generated/resources/core-v1.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { annotated, BOUND_BY_CONTROLLER, hasAnnotation } from "./binding-annotations.ts";
import { type Claim, isReservedFor, type Volume } from "./claim-matching.ts";

/**
 * Undefined: the volume is already bound. If the user reserved the volume for the claim, it is not marked as bound by
 * the controller.
 */
export function boundVolume(volume: Volume, claim: Claim): Volume | undefined {
  const { uid, name, namespace } = volume.spec?.claimRef ?? {};
  const { metadata } = claim;
  const refers = uid === metadata.uid && name === metadata.name && namespace === metadata.namespace;
  const lacksMark = !isReservedFor(volume, claim) && !hasAnnotation(volume, BOUND_BY_CONTROLLER);
  if (refers && !lacksMark) return undefined;
  const marked = lacksMark ? annotated(volume, { [BOUND_BY_CONTROLLER]: "yes" }) : volume;
  if (refers) return marked;
  return { ...marked, spec: { ...marked.spec, claimRef: referenceTo(claim, PersistentVolumeClaims) } };
}
