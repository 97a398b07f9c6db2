// Events of both groups, which share their objects. The core form is stored.
// Upstream: pkg/registry/core/event/strategy.go; pkg/apis/events/v1/conversion.go

import type * as core from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Conversion, Kind } from "#kinds/kind.ts";
import { nameOf, printer, since } from "#kinds/parts/printer.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { type EventGroup, validateEvent, validateEventUpdate } from "./event-validation.ts";

const groupOf = (ctx: StrategyContext): EventGroup =>
  ctx.groupVersion?.group === "events.k8s.io" ? "events.k8s.io" : "";

function eventCells(event: core.Event, now: EpochMs): unknown[] {
  const { involvedObject: about, series, source } = event;
  const first = since(event.firstTimestamp ?? event.eventTime, now);
  const last = series
    ? since(series.lastObservedTime, now)
    : event.lastTimestamp
      ? since(event.lastTimestamp, now)
      : first;
  const kind = (about?.kind ?? "").toLowerCase();
  const component = source?.component || (event.reportingComponent ?? "");
  const instance = source?.host || (event.reportingInstance ?? "");
  return [
    last,
    event.type ?? "",
    event.reason ?? "",
    about?.name ? `${kind}/${about.name}` : kind,
    about?.fieldPath ?? "",
    instance === "" ? component : `${component}, ${instance}`,
    (event.message ?? "").trim(),
    first,
    series ? (series.count ?? 0) : event.count || 1,
    nameOf(event),
  ];
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

/** Works on the stored form, core/v1. */
const strategy = kindStrategy<core.Event>({
  allowCreateOnUpdate: true,
  defaultPropagation: "Unsupported",
  validate: (event, ctx) => validateEvent(event, groupOf(ctx)),
  validateUpdate: (event, old, ctx) => validateEventUpdate(event, old, groupOf(ctx)),
});

type Involved = keyof NonNullable<core.Event["involvedObject"]>;

const INVOLVED: readonly Involved[] = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
];

/** How long events are kept. */
const TTL_SECONDS = 3600;

export const event: Kind<core.Event> = {
  key: "events",
  otherKeys: ["events.events.k8s.io"],
  strategy,
  conversions: { "events.k8s.io/v1": eventConversion },
  selectableFields: {
    ...Object.fromEntries(
      INVOLVED.map((part) => [`involvedObject.${part}`, (event: core.Event) => event.involvedObject?.[part] ?? ""]),
    ),
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? "",
    source: ({ source, reportingComponent }) => source?.component || (reportingComponent ?? ""),
    type: ({ type }) => type ?? "",
  },
  fieldLabels: {
    "events.k8s.io/v1": {
      "metadata.name": "metadata.name",
      "metadata.namespace": "metadata.namespace",
      reason: "reason",
      type: "type",
      ...Object.fromEntries(INVOLVED.map((part) => [`regarding.${part}`, `involvedObject.${part}`])),
      reportingController: "reportingComponent",
    },
  },
  printer: printer("Last Seen|Type|Reason|Object|Subobject*|Source*|Message|First Seen*|Count*|Name*", eventCells),
  isUncached: true,
  ttlSeconds: TTL_SECONDS,
};
