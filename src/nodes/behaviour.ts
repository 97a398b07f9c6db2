// How a simulated pod behaves: by its annotations, and else by what its restart policy says of it. A pod that is never
// restarted, or on failure only, has work that ends; any other one serves for ever.

import { fnv32a } from "#api/fnv.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { durationMs, parseDuration } from "#api/go-duration.ts";
import type { Quantity } from "#api/quantity.ts";
import { errorMessage } from "#base/errors.ts";
import { type Curve, parseCurve, type UsageCurves } from "./usage.ts";

export interface Behaviour {
  /** From being bound to running. */
  readonly startMs: number;
  /** From running to the end of the containers; absent: they do not end. */
  readonly runMs?: number;
  /** Of every container that ends. */
  readonly exitCode: number;
  readonly isImageMissing: boolean;
  readonly isReady: boolean;
  /** Containers that are ready are so for this time, then not for as long, and so on; absent: they stay ready. */
  readonly flapMs?: number;
  /** Of each container. */
  readonly usage: UsageCurves;
}

const PREFIX = "sim.steersman.dev/";
const annotations = {
  startAfter: `${PREFIX}start-after`,
  startJitter: `${PREFIX}start-jitter`,
  runFor: `${PREFIX}run-for`,
  exitCode: `${PREFIX}exit-code`,
  imagePullError: `${PREFIX}image-pull-error`,
  notReady: `${PREFIX}not-ready`,
  flapEvery: `${PREFIX}flap-every`,
  cpu: `${PREFIX}cpu`,
  memory: `${PREFIX}memory`,
} as const;

/** The annotations without their prefix. */
export const behaviourFields: readonly string[] = Object.values(annotations).map((name) => name.slice(PREFIX.length));

export const annotationOf = (field: string): string => PREFIX + field;

const WORK_MS = 1000;
const EXIT_CODE_MAX = 255;

/** Why an annotation cannot be obeyed. */
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

/** Throws a BadBehaviour. `startMs`: unless the pod says otherwise. */
export function behaviourOf({ metadata, spec }: Pod, startMs: number): Behaviour {
  const given = metadata?.annotations ?? {};
  const hasWork = spec?.restartPolicy === "Never" || spec?.restartPolicy === "OnFailure";
  const runMs = duration(given, annotations.runFor) ?? (hasWork ? WORK_MS : undefined);
  const flapMs = duration(given, annotations.flapEvery);
  if (flapMs === 0) throw new BadBehaviour(annotations.flapEvery, "must not be zero");
  const jitterMs = duration(given, annotations.startJitter) ?? 0;
  return {
    startMs: (duration(given, annotations.startAfter) ?? startMs) + jitterMs * shareOf(metadata?.uid ?? ""),
    ...(runMs === undefined ? {} : { runMs }),
    exitCode: exitCode(given),
    isImageMissing: flag(given, annotations.imagePullError),
    isReady: !flag(given, annotations.notReady),
    ...(flapMs === undefined ? {} : { flapMs }),
    usage: usageCurves(given),
  };
}

/** From 0 to 1, by chance, though always the same for a pod. */
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
  if (text === undefined) return undefined;
  try {
    return parseCurve(text, amountOf);
  } catch (cause) {
    throw new BadBehaviour(name, errorMessage(cause), { cause });
  }
}

type Annotations = Readonly<Record<string, string>>;

function duration(given: Annotations, name: string): number | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  let ms: number;
  try {
    ms = durationMs(parseDuration(text));
  } catch (cause) {
    throw new BadBehaviour(name, errorMessage(cause), { cause });
  }
  if (ms < 0) throw new BadBehaviour(name, `must not be negative: "${text}"`);
  return ms;
}

function exitCode(given: Annotations): number {
  const text = given[annotations.exitCode];
  if (text === undefined) return 0;
  const code = Number(text);
  if (!/^\d+$/.test(text) || code > EXIT_CODE_MAX) {
    throw new BadBehaviour(annotations.exitCode, `must be a number from 0 to ${EXIT_CODE_MAX}: "${text}"`);
  }
  return code;
}

function flag(given: Annotations, name: string): boolean {
  const text = given[name] ?? "false";
  if (text !== "true" && text !== "false") {
    throw new BadBehaviour(name, `must be "true" or "false": "${text}"`);
  }
  return text === "true";
}
