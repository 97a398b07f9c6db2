// Checks the options of a cluster that the types allow, or that a test in JavaScript gives without types. The cluster's
// settings have checks of their own.

import { NODES_MAX } from "#cluster/settings.ts";
import type { RealClusterOptions, TestClusterOptions, VirtualClusterOptions } from "./start-cluster.ts";

const common = {
  time: true,
  nodes: true,
  stages: true,
  log: true,
  controllers: true,
  featureGates: true,
  runtimeConfig: true,
  admissionPlugins: true,
} as const satisfies Readonly<Record<keyof TestClusterOptions | "time", true>>;

const known = {
  virtual: { ...common, seed: true, startTime: true } satisfies Readonly<Record<keyof VirtualClusterOptions, true>>,
  real: { ...common, port: true } satisfies Readonly<Record<keyof RealClusterOptions, true>>,
} as const;

const PLUGIN_LISTS = ["enabled", "disabled"];
const PORT_MAX = 65_535;

/** What an option must be, if it is not. */
type Check = (value: unknown) => string | undefined;

const isText = (value: unknown): boolean => typeof value === "string";
const isMap = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);
const isListOfTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const unless = (isValid: boolean, expected: string): string | undefined => (isValid ? undefined : expected);
const wholeNumber =
  (max: number): Check =>
  (value) =>
    unless(Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max, `a whole number from 0 to ${max}`);
const mapOf =
  (type: "string" | "boolean", expected: string): Check =>
  (value) =>
    unless(isMap(value) && Object.values(value).every((each) => typeof each === type), expected);

const checks: Readonly<Record<string, Check>> = {
  nodes: wholeNumber(NODES_MAX),
  port: wholeNumber(PORT_MAX),
  log: (value) => unless(typeof value === "function", "a function"),
  controllers: (value) => unless(isListOfTexts(value), "a list of texts"),
  featureGates: mapOf("boolean", "a map from names to true or false"),
  runtimeConfig: mapOf("string", 'a map from versions to "true" or "false"'),
  admissionPlugins: (value) => {
    const names = ["enabled", "disabled", "podSecurity"];
    if (!isMap(value) || Object.keys(value).some((name) => !names.includes(name)))
      return `a map with ${names.join(", ")}`;
    const wrong = Object.entries(value).find(([name, list]) => PLUGIN_LISTS.includes(name) && !isListOfTexts(list));
    return wrong && `a map in which ${wrong[0]} is a list of texts`;
  },
  startTime: (value) => unless(value instanceof Date && !Number.isNaN(value.getTime()), "a valid Date"),
};

/** Throws a TypeError that names the option. */
export function checkOptions(options: VirtualClusterOptions | RealClusterOptions): void {
  if (!isMap(options)) throw new TypeError(`the options are ${JSON.stringify(options)}; they must be an object`);
  const { time = "virtual" } = options;
  if (!Object.hasOwn(known, time))
    throw new TypeError(`time is ${JSON.stringify(time)}; it can be "virtual" or "real"`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known[time], name)) {
      const names = Object.keys(known[time]).join(", ");
      throw new TypeError(`${name}: unknown option; in ${time} time there are ${names}`);
    }
    const expected = value === undefined ? undefined : checks[name]?.(value);
    if (expected !== undefined) throw new TypeError(`${name} is ${shown(value)}; it must be ${expected}`);
  }
}

/** Throws a TypeError: a wait for such a time would not end. */
export function checkTime(ms: number): void {
  if (!Number.isFinite(ms) || ms < 0) throw new TypeError(`${shown(ms)} is not a number of milliseconds`);
}

function shown(value: unknown): string {
  return typeof value === "number" || value instanceof Date ? String(value) : JSON.stringify(value);
}
