// The parameters of list, watch and deletecollection: decoded, defaulted, validated.
// Upstream: apimachinery pkg/apis/meta/internalversion, ListOptions, its defaults and validation

import { ValueError } from "#api/errors.ts";
import * as field from "#api/field-error.ts";
import { everyField, type FieldSelector, parseFieldSelector } from "#api/field-selector.ts";
import { everything, type Selector } from "#api/label-selector.ts";
import { parseLabelSelector } from "#api/label-selector-parser.ts";
import { newBadRequest, newInvalid } from "#api/status-error.ts";
import type { Query } from "./query.ts";

export interface ListOptions {
  readonly labels: Selector;
  readonly fields: FieldSelector;
  readonly isWatch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds?: number;
  /** 0: no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents?: boolean;
}

const NO_OPTIONS: ListOptions = {
  labels: everything,
  fields: everyField,
  isWatch: false,
  allowWatchBookmarks: false,
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continue: "",
};

/** Throws a 400 for a malformed parameter and a 422 for an invalid combination. */
export function parseListOptions(query: Query, isWatchPath = false): ListOptions {
  if (query.isEmpty && !isWatchPath) return NO_OPTIONS;
  const options = withInitialEventsByDefault(decode(query));
  const errors = options.isWatch ? validateWatch(options) : validateList(options);
  if (errors.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  // Upstream checks the path only here: until now such a watch counts as a list.
  return isWatchPath && !options.isWatch ? withInitialEventsByDefault({ ...options, isWatch: true }) : options;
}

function decode(query: Query): ListOptions {
  const timeoutSeconds = query.optionalInteger("timeoutSeconds");
  const limit = query.optionalInteger("limit") ?? 0;
  const sendInitialEvents = query.optionalFlag("sendInitialEvents");
  return {
    labels: orBadRequest(() => parseLabelSelector(query.text("labelSelector"))),
    fields: orBadRequest(() => parseFieldSelector(query.text("fieldSelector"))),
    isWatch: query.flag("watch"),
    allowWatchBookmarks: query.flag("allowWatchBookmarks"),
    resourceVersion: query.text("resourceVersion"),
    resourceVersionMatch: query.text("resourceVersionMatch"),
    limit,
    continue: query.text("continue"),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
  };
}

function orBadRequest<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ValueError) throw newBadRequest(error.message);
    throw error;
  }
}

/** A watch from "" or "0" begins with the current state, as before sendInitialEvents existed. */
function withInitialEventsByDefault(options: ListOptions): ListOptions {
  const isLegacy = options.resourceVersion === "" || options.resourceVersion === "0";
  if (!options.isWatch || !isLegacy) return options;
  if (options.sendInitialEvents !== undefined || options.resourceVersionMatch !== "") return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

const match = field.newPath("resourceVersionMatch");

function validateList(options: ListOptions): field.FieldError[] {
  const errors: field.FieldError[] = [];
  const chosen = options.resourceVersionMatch;
  if (chosen !== "") {
    if (options.resourceVersion === "") {
      errors.push(field.forbidden(match, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (options.continue !== "") {
      errors.push(field.forbidden(match, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (chosen !== "Exact" && chosen !== "NotOlderThan") {
      errors.push(field.notSupported(match, chosen, ["Exact", "NotOlderThan", ""]));
    }
    if (chosen === "Exact" && options.resourceVersion === "0") {
      errors.push(field.forbidden(match, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(field.forbidden(field.newPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function validateWatch(options: ListOptions): field.FieldError[] {
  const errors: field.FieldError[] = [];
  const chosen = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && chosen !== "NotOlderThan") {
    errors.push(field.forbidden(match, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (chosen === "") return errors;
  if (options.sendInitialEvents === undefined) {
    const detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push(field.forbidden(match, detail));
  }
  if (chosen !== "NotOlderThan") errors.push(field.notSupported(match, chosen, ["NotOlderThan"]));
  if (options.continue !== "") {
    errors.push(field.forbidden(match, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}
