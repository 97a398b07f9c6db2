// Which hints the endpoints of a Service get: those of the mode Auto if its annotation requests it, else those of its
// traffic distribution, else none.
// Upstream: k8s.io/endpointslice/reconciler.go, reconcileByAddressType, hintsEnabled, validTrafficDistribution.

import { objectKey } from "#api/object.ts";
import type { Service } from "#families/service-pods/model.ts";
import { type HintedSlices, type SlicesToHint, withoutAnyHints, withTrafficHints } from "#families/slices/hints.ts";
import type { AddressType } from "#families/slices/model.ts";
import { withZoneHints } from "#families/slices/zone-hints.ts";
import type { EventType } from "#kit/events/recorder.ts";
import type { Topology } from "./topology.ts";

const DEPRECATED_MODE = "service.kubernetes.io/topology-aware-hints";
const MODE = "service.kubernetes.io/topology-mode";
const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];

interface HintEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

interface Hinting extends HintedSlices {
  readonly events: readonly HintEvent[];
}

/** The mode Auto; of the two annotations the deprecated one wins. */
export function wantsZoneHints({ metadata }: Service): boolean {
  const { annotations = {} } = metadata;
  const mode = annotations[DEPRECATED_MODE] ?? annotations[MODE];
  return mode === "Auto" || mode === "auto";
}

/** Undefined: none, an unknown one, or one that the mode Auto overrides. */
export function usedDistribution(service: Service): string | undefined {
  const { trafficDistribution } = service.spec ?? {};
  const isKnown = DISTRIBUTIONS.includes(trafficDistribution ?? "") && !wantsZoneHints(service);
  return isKnown ? trafficDistribution : undefined;
}

export function hintSlices(
  service: Service,
  addressType: AddressType,
  slices: SlicesToHint,
  topology: Topology,
): Hinting {
  const key = objectKey(service);
  if (wantsZoneHints(service)) return zoneHinted(key, addressType, slices, topology);
  const events = topology.hasHints(key) ? [disabled("Topology Aware Hints has been disabled", addressType)] : [];
  topology.removeHints(key, addressType);
  const distribution = usedDistribution(service);
  const hinted =
    distribution === undefined ? withoutAnyHints(slices) : withTrafficHints(slices, distribution === "PreferSameNode");
  return { ...hinted, events };
}

function zoneHinted(key: string, addressType: AddressType, slices: SlicesToHint, topology: Topology): Hinting {
  const hinted = withZoneHints(slices, topology.shares);
  if (typeof hinted === "string") {
    topology.removeHints(key, addressType);
    // Deviation: when an endpoint has no zone, upstream also writes the unchanged slices without hints.
    return { ...withoutAnyHints(slices), events: [disabled(hinted, addressType)] };
  }
  const isNew = !topology.hasHints(key);
  topology.setHints(key, addressType, hinted.counts);
  const message = about("Topology Aware Hints has been enabled", addressType);
  const { create, update } = hinted;
  return { create, update, events: isNew ? [{ type: "Normal", reason: "TopologyAwareHintsEnabled", message }] : [] };
}

const disabled = (why: string, addressType: AddressType): HintEvent => ({
  type: "Warning",
  reason: "TopologyAwareHintsDisabled",
  message: about(why, addressType),
});

const about = (text: string, addressType: AddressType): string => `${text}, addressType: ${addressType}`;
