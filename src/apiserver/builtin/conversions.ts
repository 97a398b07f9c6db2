// Between the versions of one built-in kind. Most differ in their apiVersion only; events and
// autoscalers have fields of other names.

import { goTypeOfKind } from "#api/go-layout.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject } from "#api/object.ts";
import { decodeTyped } from "../decoding/typed-decoding.ts";
import { autoscalerConversion } from "./autoscaler-conversion.ts";
import { fieldAliases } from "./field-aliases.ts";

export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

const identity = (object: KubeObject): KubeObject => object;

export function conversionBetween(version: GroupVersionKind, stored: GroupVersionKind): Conversion {
  const own = apiVersionOf(version);
  const inStore = apiVersionOf(stored);
  if (own === inStore) return { toStored: fieldAliases(version) ?? identity, fromStored: identity };
  if (version.kind === "Event") return normalised(eventConversion, version, stored);
  if (own === "autoscaling/v1") return normalised(autoscalerConversion, version, stored);
  return {
    toStored: (object) => ({ ...object, apiVersion: inStore, kind: stored.kind }),
    fromStored: (object) => ({ ...object, apiVersion: own, kind: version.kind }),
  };
}

/** What one version leaves out when it is empty, the other may write, and the other way round. */
function normalised(
  { toStored, fromStored }: Conversion,
  version: GroupVersionKind,
  stored: GroupVersionKind,
): Conversion {
  const inType = (gvk: GroupVersionKind, object: KubeObject): KubeObject => {
    const goType = goTypeOfKind(gvk);
    return goType === undefined ? object : (decodeTyped(goType, object).value as KubeObject);
  };
  return {
    toStored: (object) => inType(stored, toStored(object)),
    fromStored: (object) => inType(version, fromStored(object)),
  };
}

/** Names in events.k8s.io/v1 and in v1, which is stored. */
const EVENT_FIELDS: readonly (readonly [string, string])[] = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
  ["reportingController", "reportingComponent"],
];

/** Upstream: pkg/apis/events/v1/conversion.go */
const eventConversion: Conversion = {
  toStored: (object) => rename(object, EVENT_FIELDS, "v1"),
  fromStored: (object) =>
    rename(
      object,
      EVENT_FIELDS.map(([a, b]) => [b, a] as const),
      "events.k8s.io/v1",
    ),
};

function rename(object: KubeObject, names: readonly (readonly [string, string])[], apiVersion: string): KubeObject {
  const copy: Record<string, unknown> = { ...object, apiVersion };
  for (const [from, to] of names) {
    const value = copy[from];
    if (value === undefined) continue;
    delete copy[from];
    copy[to] = value;
  }
  return copy as KubeObject;
}
