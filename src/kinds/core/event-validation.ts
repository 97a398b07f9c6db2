// Validation of events, which are stored in the core form. Rules depend on the group of the request.
// Upstream: pkg/apis/core/validation/events.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { type Errors, IMMUTABLE, name, qualifiedName } from "#kinds/parts/checks.ts";
import { type InternalType, internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";

const METADATA = field.newPath("metadata");
const at = (...names: readonly [string, ...string[]]): field.FieldPath => field.newPath(...names);

/** The group of the request; "" is core. */
export type EventGroup = "" | "events.k8s.io";

export function validateEvent(event: core.Event, group: EventGroup): field.FieldError[] {
  const errors: Errors = [];
  legacyRules(errors, event, group);
  if (group === "") return errors;
  objectMeta(errors, event.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  series(errors, event);
  if (!event.eventTime) errors.push(field.required(at("eventTime"), ""));
  if (event.type !== "Normal" && event.type !== "Warning") {
    errors.push(field.invalid(at("type"), "", `has invalid value: ${event.type ?? ""}`));
  }
  const unset = "needs to be unset";
  if (event.firstTimestamp) errors.push(field.invalid(at("firstTimestamp"), "", unset));
  if (event.lastTimestamp) errors.push(field.invalid(at("lastTimestamp"), "", unset));
  if (event.count) errors.push(field.invalid(at("count"), "", unset));
  if (event.source?.component || event.source?.host) errors.push(field.invalid(at("source"), "", unset));
  return errors;
}

const FIXED: readonly (readonly [keyof core.Event, unknown, InternalType?])[] = [
  ["involvedObject", {}, "ObjectReference"],
  ["reason", ""],
  ["message", ""],
  ["source", {}, "EventSource"],
  ["firstTimestamp", null],
  ["lastTimestamp", null],
  ["count", 0],
  ["reason", ""],
  ["type", ""],
  ["eventTime", null],
  ["action", ""],
  ["related", null, "ObjectReference"],
];

export function validateEventUpdate(event: core.Event, old: core.Event, group: EventGroup): field.FieldError[] {
  const errors: Errors = [];
  legacyRules(errors, event, group);
  if (group === "") return errors;
  objectMetaUpdate(errors, event.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (!semanticEqual(event.series, old.series)) series(errors, event);
  const fixed = (value: unknown, before: unknown, path: field.FieldPath, type?: InternalType): void => {
    if (semanticEqual(value, before)) return;
    const shown = type && value ? internalForm(type, value) : value;
    errors.push(field.invalid(path, shown, IMMUTABLE));
  };
  for (const [part, zero, type] of FIXED) fixed(event[part] ?? zero, old[part] ?? zero, at(part), type);
  fixed(event.reportingComponent ?? "", old.reportingComponent ?? "", at("reportingController"));
  fixed(event.reportingInstance ?? "", old.reportingInstance ?? "", at("reportingInstance"));
  return errors;
}

function series(errors: Errors, event: core.Event): void {
  if (!event.series) return;
  if ((event.series.count ?? 0) < 2) errors.push(field.invalid(at("series.count"), "", "should be at least 2"));
  if (!event.series.lastObservedTime) errors.push(field.required(at("series.lastObservedTime"), ""));
}

const SHORT_MAX = 128;
const NOTE_MAX = 1024;

function legacyRules(errors: Errors, event: core.Event, group: EventGroup): void {
  const namespace = event.metadata?.namespace ?? "";
  const involved = event.involvedObject?.namespace ?? "";
  const isMismatch = event.eventTime
    ? involved === "" && namespace !== "default" && namespace !== "kube-system"
    : involved === ""
      ? namespace !== "" && namespace !== "default"
      : namespace !== involved;
  if (isMismatch)
    errors.push(field.invalid(at("involvedObject", "namespace"), involved, "does not match event.namespace"));
  if (event.eventTime) {
    const controller = event.reportingComponent ?? "";
    const path = at(group === "" ? "reportingComponent" : "reportingController");
    if (controller === "") errors.push(field.required(path, ""));
    qualifiedName(errors, controller, path);
    bounded(errors, event.reportingInstance, "reportingInstance", SHORT_MAX, true);
    bounded(errors, event.action, "action", SHORT_MAX, true);
    bounded(errors, event.reason, "reason", SHORT_MAX, true);
    bounded(errors, event.message, "message", NOTE_MAX, false);
  }
  name(errors, namespace, at("namespace"), isDns1123Subdomain);
}

function bounded(errors: Errors, value = "", part: string, max: number, isRequired: boolean): void {
  if (isRequired && value === "") errors.push(field.required(at(part), ""));
  if (byteLength(value) > max) errors.push(field.invalid(at(part), "", `can have at most ${max} characters`));
}
