// A case: requests in order, each answered by both servers; every pair of answers must be equal.

import { parseExactJson } from "#api/json.ts";
import { stringifyJson } from "#base/json.ts";
import type { Answer, Call, Subject } from "./exchange.ts";
import { Normaliser } from "./normalise.ts";

/** "$name" in a target, header or body is replaced by a value that an earlier step captured on that server. */
export interface Step extends Call {
  /**
   * Captures by dotted path of the answer: `{ rv: "metadata.resourceVersion", tag: "headers.etag" }`. The path starts
   * in the body unless it starts with headers or warnings.
   */
  readonly capture?: Readonly<Record<string, string>>;
  /** Repeats the request until it has this status: the real server's admission reads caches that lag. */
  readonly awaits?: number;
  /** Repeats the request until the path has this value, which a controller of the server writes. */
  readonly awaitsValue?: readonly [path: string, value: string];
  /** Repeats the request until the body is as expected: the real server rebuilds some documents in the background. */
  readonly awaitsBody?: (body: never) => boolean;
  /** Compares only status and reason: a Go library words the YAML error. */
  readonly comparesReasonOnly?: boolean;
  /** Steps that run while this step, a watch, is open. */
  readonly during?: readonly Step[];
  /** Forgets the history: earlier versions are too old afterwards. */
  readonly forgetsHistory?: boolean;
  /** The compared part of the body, if the servers do not serve the same things. */
  readonly view?: (body: never) => unknown;
}

export interface JudgeCase {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** "step 2 PATCH …: body.reason: embedded "Invalid", real "BadRequest"". */
export type Difference = string;

/** Plays the case in a separate namespace on both servers. */
export async function judgeCase(
  judged: JudgeCase,
  namespace: string,
  embedded: Subject,
  real: Subject,
): Promise<readonly Difference[]> {
  const [ours, theirs] = await Promise.all([playCase(judged, namespace, embedded), playCase(judged, namespace, real)]);
  return differencesBetween(judged, ours, theirs);
}

export function differencesBetween(
  { steps }: JudgeCase,
  ours: readonly unknown[],
  theirs: readonly unknown[],
): readonly Difference[] {
  return steps.flatMap(({ method, target }, index) =>
    [...differencesOf(ours[index], theirs[index], "")].map(
      (difference) => `step ${index} ${method} ${target}: ${difference}`,
    ),
  );
}

/** The compared parts of the answers to the steps. */
export async function playCase({ steps }: JudgeCase, namespace: string, subject: Subject): Promise<readonly unknown[]> {
  const captured = new Map<string, string>([["ns", namespace]]);
  const normaliser = new Normaliser(namespace);
  await subject.ask({ method: "POST", target: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  const answers: unknown[] = [];
  for (const step of steps) {
    if (step.forgetsHistory) await subject.forgetHistory();
    const duringAnswers: unknown[] = [];
    const onOpen = async (): Promise<void> => {
      for (const each of step.during ?? []) duringAnswers.push(await playStep(each));
    };
    const answer = await playStep(step, step.during && onOpen);
    answers.push(step.during === undefined ? answer : { watch: answer, during: duringAnswers });
  }
  return answers;

  async function playStep(step: Step, onOpen?: () => Promise<void>): Promise<unknown> {
    const call = { ...filled(step, captured), ...(onOpen && { onOpen }) };
    const awaitsValue = step.awaitsValue && ([step.awaitsValue[0], filledText(step.awaitsValue[1], captured)] as const);
    const answer = await askUntil(subject, call, { ...step, ...(awaitsValue && { awaitsValue }) });
    for (const [name, path] of Object.entries(step.capture ?? {})) captured.set(name, String(at(answer, path) ?? ""));
    const normal = normaliser.answer(
      step.view === undefined ? answer : { ...answer, body: step.view(answer.body as never) },
    );
    return step.comparesReasonOnly ? reasonOf(normal) : normal;
  }
}

const AWAIT_TRIES_MAX = 100;

async function askUntil(subject: Subject, call: Call, { awaits, awaitsValue, awaitsBody }: Step): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await subject.ask(call);
    const isAnswered = awaits === undefined || answer.status === awaits;
    const isThere = awaitsValue === undefined || String(at(answer, awaitsValue[0])) === awaitsValue[1];
    const isAsItShould = awaitsBody === undefined || awaitsBody(answer.body as never);
    if ((isAnswered && isThere && isAsItShould) || attempt >= AWAIT_TRIES_MAX) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function filledText(text: string, captured: ReadonlyMap<string, string>): string {
  return text.replace(/\$([a-z][a-zA-Z0-9]*)/g, (whole, name: string) => captured.get(name) ?? whole);
}

function filled(step: Step, captured: ReadonlyMap<string, string>): Call {
  const fill = (text: string): string => filledText(text, captured);
  const body =
    step.body === undefined
      ? undefined
      : typeof step.body === "string"
        ? fill(step.body)
        : parseExactJson(fill(stringifyJson(step.body)));
  const headers = Object.entries(step.headers ?? {}).map(([name, value]) => [name, fill(value)] as const);
  return {
    ...step,
    target: fill(step.target),
    ...(body === undefined ? {} : { body }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}

function at({ body, headers, warnings }: Answer, path: string): unknown {
  const keys = path.split(".");
  const start: unknown = keys[0] === "headers" || keys[0] === "warnings" ? { headers, warnings } : body;
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], start);
}

function reasonOf(answer: unknown): unknown {
  const { status, body } = answer as { status: number; body: { reason?: string } | undefined };
  return { status, reason: body?.reason ?? "" };
}

/** All differences: "path: embedded 1, real 2". */
export function* differencesOf(embedded: unknown, real: unknown, path: string): Generator<string> {
  if (stringifyJson(embedded) === stringifyJson(real)) return;
  if (isContainer(embedded) && isContainer(real) && Array.isArray(embedded) === Array.isArray(real)) {
    for (const key of new Set([...Object.keys(embedded), ...Object.keys(real)])) {
      yield* differencesOf(embedded[key], real[key], path === "" ? key : `${path}.${key}`);
    }
    return;
  }
  yield `${path}: embedded ${stringifyJson(embedded)}, real ${stringifyJson(real)}`;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
