// Sends the same random requests to both servers, from one seed: bodies, patches, selectors, versions, continue tokens,
// headers and watches, valid and invalid. Counts per verb how often the answers agree, and keeps the disagreements.

import { stringifyJson } from "#base/json.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { Subject } from "./exchange.ts";
import { type FuzzedCall, nextCall } from "./fuzz-calls.ts";
import { type Comparison, compare } from "./fuzz-compare.ts";
import { type Played, type PlayedRound, Player } from "./fuzz-player.ts";
import { nextRound, WRITE_MS_MAX } from "./fuzz-watches.ts";

export interface AnswerCount {
  requests: number;
  /** The number of 2xx answers of the real server. */
  succeeded: number;
  /** Answers with the same meaning: status code, reason, causes, and the resulting object or events. */
  agreed: number;
  /** Answers with the same words. */
  agreedInWords: number;
}

export interface Disagreement {
  readonly index: number;
  readonly verb: string;
  readonly call: string;
  readonly what: string;
  /** Whether only the words differ. */
  readonly isOfWords: boolean;
}

export interface FuzzReport {
  readonly seed: string;
  readonly verbs: ReadonlyMap<string, AnswerCount>;
  /** By the label of the place. */
  readonly kinds: ReadonlyMap<string, AnswerCount>;
  readonly disagreements: readonly Disagreement[];
  /** Requests with an internal error of ours that the real server refused properly: never allowed. */
  readonly failures: readonly Disagreement[];
}

export interface FuzzOptions {
  readonly seed: string;
  readonly requests: number;
  readonly namespace: string;
}

/** Keeps lists short, and limits the effect of earlier requests. */
const EMPTIED_EVERY = 400;
/** A round of watches takes seconds. */
const WATCHED_EVERY = 300;
const RELAXED_TRIES_MAX = 25;
const ROUND_TRIES_MAX = 10;

export async function fuzz(embedded: Subject, real: Subject, options: FuzzOptions): Promise<FuzzReport> {
  const rng = seededRng(options.seed);
  const ours = new Player(embedded, options.namespace);
  const theirs = new Player(real, options.namespace);
  await Promise.all([ours.open(), theirs.open()]);
  const verbs = new Map<string, AnswerCount>();
  const kinds = new Map<string, AnswerCount>();
  const disagreements: Disagreement[] = [];
  const record = async (index: number, call: FuzzedCall, b: Played, { meaning, words }: Comparison): Promise<void> => {
    for (const count of [countIn(verbs, call.verb), countIn(kinds, call.place.label)]) {
      count.requests++;
      if (b.status < 300) count.succeeded++;
      if (meaning === "") count.agreed++;
      if (words === "") count.agreedInWords++;
    }
    if (words !== "")
      disagreements.push({ index, verb: call.verb, call: shown(call), what: words, isOfWords: meaning === "" });
    // Both start from the same state again, so that one difference does not cause others.
    if (meaning !== "") await Promise.all([ours.empty([call.place]), theirs.empty([call.place])]);
  };
  let index = 0;
  let nextWatchAt = WATCHED_EVERY;
  let nextEmptyAt = 0;
  while (index < options.requests) {
    if (index >= nextEmptyAt) {
      await Promise.all([ours.empty(), theirs.empty()]);
      nextEmptyAt += EMPTIED_EVERY;
    }
    if (index >= nextWatchAt) {
      nextWatchAt += WATCHED_EVERY;
      const round = nextRound(rng, index);
      // On a busy machine the writes may outlast the watches: then the round is played again.
      const isInTime = (played: readonly PlayedRound[]): boolean =>
        played.every(({ writtenMs }) => writtenMs < WRITE_MS_MAX);
      let [a, b] = await Promise.all([ours.playRound(round), theirs.playRound(round)]);
      for (let tries = 0; !isInTime([a, b]) && tries < ROUND_TRIES_MAX; tries++)
        [a, b] = await Promise.all([ours.playRound(round), theirs.playRound(round)]);
      for (const [at, call] of [...round.watches, ...round.writes].entries()) {
        const [mine, other] = [a.answers[at] as Played, b.answers[at] as Played];
        if (isInTime([a, b]) || call.verb !== "watch") await record(index, call, other, compare(mine, other));
        index++;
      }
      continue;
    }
    const call = nextCall(rng, index);
    let [a, b] = await Promise.all([ours.play(call), theirs.play(call)]);
    for (let tries = 0; isRelaxedRead(call) && compare(a, b).words !== "" && tries < RELAXED_TRIES_MAX; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      [a, b] = await Promise.all([ours.play(call), theirs.play(call)]);
    }
    await record(index++, call, b, compare(a, b));
  }
  await Promise.all([ours.empty(), theirs.empty()]);
  const failures = disagreements.filter(({ what }) => /^status: embedded 5\d\d, real 4/.test(what));
  return { seed: options.seed, verbs, kinds, disagreements, failures };
}

function countIn(counts: Map<string, AnswerCount>, key: string): AnswerCount {
  const count = counts.get(key) ?? { requests: 0, succeeded: 0, agreed: 0, agreedInWords: 0 };
  counts.set(key, count);
  return count;
}

export interface LonelyReport {
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The number of internal errors, by message. */
  readonly internalErrors: ReadonlyMap<string, number>;
}

/** Sends the same requests to one server only. Calls `onPart` after each tenth of them, when the store is empty. */
export async function fuzzAlone(
  subject: Subject,
  { seed, requests, namespace }: FuzzOptions,
  onPart: (requestsDone: number) => void = () => {},
): Promise<LonelyReport> {
  const rng = seededRng(seed);
  const player = new Player(subject, namespace);
  await player.open();
  const statuses = new Map<number, number>();
  const internalErrors = new Map<string, number>();
  for (let index = 0; index < requests; index++) {
    const { status, message, normal } = await player.play(nextCall(rng, index));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const { reason } = (normal.body ?? {}) as { reason?: string };
    if (reason === "InternalError") internalErrors.set(message, (internalErrors.get(message) ?? 0) + 1);
    const isPart = (index + 1) % Math.ceil(requests / 10) === 0;
    if (isPart || (index + 1) % EMPTIED_EVERY === 0) await player.empty();
    if (!isPart) continue;
    await subject.forgetHistory();
    onPart(index + 1);
  }
  return { statuses, internalErrors };
}

/** Whether the read accepts an older state: the real server answers it from a cache that lags a little. */
const isRelaxedRead = ({ method, target }: FuzzedCall): boolean =>
  method === "GET" && /resourceVersion=/.test(target) && !target.includes("Exact");

const shown = ({ method, target, body, headers, fresh }: FuzzedCall): string =>
  `${method} ${target} ${stringifyJson(headers ?? {})} ${stringifyJson(fresh ?? body ?? "").slice(0, 400)}`;
