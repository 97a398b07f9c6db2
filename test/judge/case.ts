// A case: requests in order, each answered by both servers; every pair of answers must be equal.

import type { Answer, Call, Subject } from "./exchange.ts";
import { Normaliser } from "./normalise.ts";

/** "$name" in a target or body stands for what an earlier step captured on that server. */
export interface Step extends Call {
  /** Captures by dotted path of the answer's body: `{ rv: "metadata.resourceVersion" }`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Asked again until it has this status: the real server's admission reads caches that lag. */
  readonly awaits?: number;
  /** Only the status and reason count: where upstream words it from a Go library. */
  readonly comparesReasonOnly?: boolean;
}

export interface JudgeCase {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** "step 2 PATCH …: body.reason: embedded "Invalid", real "BadRequest"". */
export type Difference = string;

/** Plays the case in a namespace of its own on both servers. */
export async function judgeCase(
  judged: JudgeCase,
  namespace: string,
  embedded: Subject,
  real: Subject,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  const [ours, theirs] = await Promise.all([play(judged, namespace, embedded), play(judged, namespace, real)]);
  for (const [index, step] of judged.steps.entries()) {
    const [a, b] = [ours[index], theirs[index]].map((answer) => (step.comparesReasonOnly ? reasonOf(answer) : answer));
    for (const difference of differencesOf(a, b, "")) {
      differences.push(`step ${index} ${step.method} ${step.target}: ${difference}`);
    }
  }
  return differences;
}

async function play({ steps }: JudgeCase, namespace: string, subject: Subject): Promise<readonly unknown[]> {
  const captured = new Map<string, string>([["ns", namespace]]);
  const normaliser = new Normaliser();
  const answers: unknown[] = [];
  await subject.ask({ method: "POST", target: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  for (const step of steps) {
    const answer = await askUntil(subject, filled(step, captured), step.awaits);
    for (const [name, path] of Object.entries(step.capture ?? {})) captured.set(name, String(at(answer, path) ?? ""));
    answers.push(normaliser.answer(answer));
  }
  return answers;
}

const AWAIT_TRIES_MAX = 100;

async function askUntil(subject: Subject, call: Call, status: number | undefined): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await subject.ask(call);
    if (status === undefined || answer.status === status || attempt >= AWAIT_TRIES_MAX) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function filled(step: Step, captured: ReadonlyMap<string, string>): Call {
  const fill = (text: string): string =>
    text.replace(/\$([a-z][a-zA-Z0-9]*)/g, (whole, name: string) => captured.get(name) ?? whole);
  const body =
    step.body === undefined
      ? undefined
      : typeof step.body === "string"
        ? fill(step.body)
        : JSON.parse(fill(JSON.stringify(step.body)));
  return { ...step, target: fill(step.target), ...(body === undefined ? {} : { body }) };
}

function at({ body }: Answer, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
}

function reasonOf(answer: unknown): unknown {
  const { status, body } = answer as { status: number; body: { reason?: string } | undefined };
  return { status, reason: body?.reason ?? "" };
}

function* differencesOf(embedded: unknown, real: unknown, path: string): Generator<string> {
  if (JSON.stringify(embedded) === JSON.stringify(real)) return;
  if (isContainer(embedded) && isContainer(real) && Array.isArray(embedded) === Array.isArray(real)) {
    for (const key of new Set([...Object.keys(embedded), ...Object.keys(real)])) {
      yield* differencesOf(embedded[key], real[key], path === "" ? key : `${path}.${key}`);
    }
    return;
  }
  yield `${path}: embedded ${JSON.stringify(embedded)}, real ${JSON.stringify(real)}`;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
