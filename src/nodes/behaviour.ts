// The behaviour of a simulated pod: from its annotations, or else from its restart policy. A pod with the policy Never
// or OnFailure has work that ends; any other pod runs for ever. Init containers end at once, sidecars do not end.

import { fnv32a } from "#api/fnv.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { durationMs, parseDuration } from "#api/go-duration.ts";
import type { Quantity } from "#api/quantity.ts";
import { errorMessage } from "#base/errors.ts";
import type { Place } from "./places.ts";
import { type Curve, parseCurve, type UsageCurves } from "./usage.ts";

/** The behaviour of one container. */
export interface ContainerBehaviour {
  /** From the start to the end; absent: it does not end. */
  readonly runMs?: number;
  readonly exitCode: number;
  readonly isImageMissing: boolean;
  readonly isReady: boolean;
  /** Alternates between ready and not ready after this time; absent: stays ready. */
  readonly flapMs?: number;
  /** All probes fail for this time after the start. */
  readonly probesFailMs: number;
  /** The liveness probe fails from this time after the start on; absent: it does not fail. */
  readonly livenessFailsAfterMs?: number;
}

export interface Behaviour {
  /** From binding to the start of the first container. */
  readonly startMs: number;
  /** From the deletion to the end; absent: the node's value. */
  readonly stopMs?: number;
  /** The usage of each container. */
  readonly usage: UsageCurves;
  of(place: Place): ContainerBehaviour;
}

const PREFIX = "sim.steersman.dev/";

/** The names of the annotations without their prefix. */
export type BehaviourField =
  | "start-after"
  | "start-jitter"
  | "stop-after"
  | "run-for"
  | "exit-code"
  | "image-pull-error"
  | "not-ready"
  | "flap-every"
  | "probes-fail-for"
  | "liveness-fails-after"
  | "cpu"
  | "memory";

const annotations = {
  startAfter: `${PREFIX}start-after`,
  startJitter: `${PREFIX}start-jitter`,
  stopAfter: `${PREFIX}stop-after`,
  runFor: `${PREFIX}run-for`,
  exitCode: `${PREFIX}exit-code`,
  imagePullError: `${PREFIX}image-pull-error`,
  notReady: `${PREFIX}not-ready`,
  flapEvery: `${PREFIX}flap-every`,
  probesFailFor: `${PREFIX}probes-fail-for`,
  livenessFailsAfter: `${PREFIX}liveness-fails-after`,
  cpu: `${PREFIX}cpu`,
  memory: `${PREFIX}memory`,
} as const satisfies Readonly<Record<string, `${typeof PREFIX}${BehaviourField}`>>;

export const behaviourFields: readonly string[] = Object.values(annotations).map((name) => name.slice(PREFIX.length));

export const annotationOf = (field: string): string => PREFIX + field;

const WORK_MS = 1000;
const EXIT_CODE_MAX = 255;

/** Why an annotation is invalid. */
export class BadBehaviour extends Error {
  override readonly name = "BadBehaviour";
  /** The annotation without its prefix. */
  readonly field: string;
  readonly problem: string;
  constructor(annotation: string, problem: string, options?: { cause?: unknown }) {
    super(`annotation ${annotation}: ${problem}`, options);
    this.field = annotation.slice(PREFIX.length);
    this.problem = problem;
  }
}

/** Throws a BadBehaviour. `startMs`: the default for the pod. */
export function behaviourOf({ metadata, spec }: Pod, startMs: number): Behaviour {
  const given = metadata?.annotations ?? {};
  refuseUnknown(given);
  const jitterMs = duration(given, annotations.startJitter) ?? 0;
  const stopMs = duration(given, annotations.stopAfter);
  const workMs = spec?.restartPolicy === "Never" || spec?.restartPolicy === "OnFailure" ? WORK_MS : undefined;
  return {
    startMs: (duration(given, annotations.startAfter) ?? startMs) + jitterMs * shareOf(metadata?.uid ?? ""),
    ...(stopMs === undefined ? {} : { stopMs }),
    usage: usageCurves(given),
    of: containerBehaviours(given, workMs),
  };
}

/** An annotation with the prefix of the simulation and a misspelled name. */
function refuseUnknown(given: Annotations): void {
  for (const name of Object.keys(given)) {
    if (!name.startsWith(PREFIX) || behaviourFields.includes(name.slice(PREFIX.length))) continue;
    throw new BadBehaviour(name, `unknown; known are ${behaviourFields.join(", ")}`);
  }
}

function containerBehaviours(given: Annotations, workMs: number | undefined): Behaviour["of"] {
  const values = {
    runMs: perContainer(given, annotations.runFor, parseTime),
    exitCode: perContainer(given, annotations.exitCode, parseExitCode),
    isImageMissing: perContainer(given, annotations.imagePullError, parseFlag),
    isUnready: perContainer(given, annotations.notReady, parseFlag),
    flapMs: perContainer(given, annotations.flapEvery, parsePeriod),
    probesFailMs: perContainer(given, annotations.probesFailFor, parseTime),
    livenessFailsAfterMs: perContainer(given, annotations.livenessFailsAfter, parseTime),
  };
  return (place) => {
    const runMs =
      valueFor(values.runMs, place) ?? { init: 0, sidecar: undefined, main: workMs, ephemeral: undefined }[place.role];
    const flapMs = valueFor(values.flapMs, place);
    const livenessFailsAfterMs = valueFor(values.livenessFailsAfterMs, place);
    return {
      ...(runMs === undefined ? {} : { runMs }),
      exitCode: valueFor(values.exitCode, place) ?? 0,
      isImageMissing: valueFor(values.isImageMissing, place) ?? false,
      isReady: !(valueFor(values.isUnready, place) ?? false),
      ...(flapMs === undefined ? {} : { flapMs }),
      probesFailMs: valueFor(values.probesFailMs, place) ?? 0,
      ...(livenessFailsAfterMs === undefined ? {} : { livenessFailsAfterMs }),
    };
  };
}

/** The value of an annotation for all containers except init containers, and for the named ones. */
interface PerContainer<T> {
  readonly common?: T;
  readonly named: ReadonlyMap<string, T>;
}

const UNSAID: PerContainer<never> = { named: new Map<string, never>() };

/** "5s", "migrate=5s", or "1m migrate=5s". */
function perContainer<T>(given: Annotations, name: string, parse: (text: string) => T): PerContainer<T> {
  const text = given[name];
  if (text === undefined) return UNSAID;
  const named = new Map<string, T>();
  let common: { readonly value: T } | undefined;
  for (const part of text.trim().split(/\s+/)) {
    const at = part.indexOf("=");
    const value = reading(name, () => parse(part.slice(at + 1)));
    const container = part.slice(0, Math.max(at, 0));
    if (container === "" ? common !== undefined : named.has(container)) {
      throw new BadBehaviour(name, `has more than one value for ${container === "" ? "all containers" : container}`);
    }
    if (container === "") common = { value };
    else named.set(container, value);
  }
  return { ...(common === undefined ? {} : { common: common.value }), named };
}

function valueFor<T>({ common, named }: PerContainer<T>, { container, role }: Place): T | undefined {
  return named.get(container.name) ?? (role === "main" ? common : undefined);
}

/** Random between 0 and 1, but always the same for a pod. */
function shareOf(uid: string): number {
  return fnv32a(new TextEncoder().encode(uid)) / 2 ** 32;
}

function usageCurves(given: Annotations): UsageCurves {
  const cpu = curve(given, annotations.cpu, (quantity) => quantity.milliValue());
  const memory = curve(given, annotations.memory, (quantity) => quantity.value());
  return { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
}

function curve(given: Annotations, name: string, amountOf: (quantity: Quantity) => number): Curve | undefined {
  const text = given[name];
  return text === undefined ? undefined : reading(name, () => parseCurve(text, amountOf));
}

type Annotations = Readonly<Record<string, string>>;

function duration(given: Annotations, name: string): number | undefined {
  const text = given[name];
  return text === undefined ? undefined : reading(name, () => parseTime(text));
}

function reading<T>(annotation: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new BadBehaviour(annotation, errorMessage(cause), { cause });
  }
}

function parseTime(text: string): number {
  const ms = durationMs(parseDuration(text));
  if (ms < 0) throw new Error(`must not be negative: "${text}"`);
  return ms;
}

function parsePeriod(text: string): number {
  const ms = parseTime(text);
  if (ms === 0) throw new Error("must not be zero");
  return ms;
}

function parseExitCode(text: string): number {
  const code = Number(text);
  if (!/^\d+$/.test(text) || code > EXIT_CODE_MAX) {
    throw new Error(`must be a number from 0 to ${EXIT_CODE_MAX}: "${text}"`);
  }
  return code;
}

function parseFlag(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error(`must be "true" or "false": "${text}"`);
  return text === "true";
}
