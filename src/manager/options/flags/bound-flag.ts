// A flag and the field of Options that it sets.

import { assert } from "#base/assert.ts";
import { type FlagDefinition, flag } from "../../flags/flag-set.ts";
import type { FlagType } from "../../flags/flag-types.ts";
import { defaultOptions, type Options } from "../options.ts";

/** A flag and the target of its value: a dotted path into Options. */
export interface BoundFlag extends FlagDefinition {
  readonly path: string;
}

type More = Pick<FlagDefinition, "shorthand" | "deprecated" | "isHidden">;

/** The default is the value of defaultOptions at the path, so it is defined in one place. */
export function at<V>(name: string, type: FlagType<V>, path: string, help: string, more: More = {}): BoundFlag {
  return { ...flag(name, type, readPath(defaultOptions, path) as V, help, more), path };
}

function readPath(options: Options, path: string): unknown {
  let value: unknown = options;
  for (const key of path.split(".")) {
    assert(typeof value === "object" && value !== null && Object.hasOwn(value, key), `no option at ${path}`);
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Help texts that depend on the program's controllers and gates. */
export interface FlagFacts {
  readonly knownControllers: readonly string[];
  readonly disabledByDefault: readonly string[];
  /** One line per gate: "Name=true|false (BETA - default=true)". */
  readonly featureGateLines: readonly string[];
}

/** The help of a flag that counts workers. */
export function workers(what: string): string {
  return `How many ${what} are synced at the same time.`;
}
