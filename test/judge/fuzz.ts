// The same random requests to both servers, from one seed: bodies, patches, selectors, versions, continue
// tokens and headers, right and wrong. Counts per verb how often the answers agree, and keeps what did not.

import { seededRng } from "#base/seeded-rng.ts";
import { teachCustomKind } from "./custom-kind.ts";
import type { Answer, Call, Subject } from "./exchange.ts";
import { type FuzzedCall, furniture, names, nextCall, places } from "./fuzz-calls.ts";
import { Normaliser } from "./normalise.ts";

export interface VerbCount {
  requests: number;
  agreed: number;
  /** Answered 2xx by the real server. */
  succeeded: number;
}

export interface Disagreement {
  readonly index: number;
  readonly verb: string;
  readonly call: string;
  readonly what: string;
}

export interface FuzzReport {
  readonly seed: string;
  readonly verbs: ReadonlyMap<string, VerbCount>;
  readonly disagreements: readonly Disagreement[];
  /** Ours failed where the real server refused: never allowed. */
  readonly failures: readonly Disagreement[];
}

export interface FuzzOptions {
  readonly seed: string;
  readonly requests: number;
  /** Collections to play in, as absolute paths with "$ns". */
  readonly namespace: string;
}

export async function fuzz(embedded: Subject, real: Subject, options: FuzzOptions): Promise<FuzzReport> {
  const rng = seededRng(options.seed);
  const ours = new Player(embedded, options.namespace);
  const theirs = new Player(real, options.namespace);
  await Promise.all([ours.open(), theirs.open()]);
  const verbs = new Map<string, VerbCount>();
  const disagreements: Disagreement[] = [];
  const empty = (collection: string): Promise<unknown> =>
    Promise.all([ours.empty(collection), theirs.empty(collection)]);
  for (let index = 0; index < options.requests; index++) {
    if (index % EMPTIED_EVERY === 0) for (const place of places) await empty(place.collection);
    if (index % FURNISHED_EVERY === 0) await Promise.all([ours.furnish(), theirs.furnish()]);
    const call = nextCall(rng, index);
    let [a, b] = await Promise.all([ours.play(call), theirs.play(call)]);
    for (let tries = 0; isRelaxedRead(call) && difference(a, b) !== undefined && tries < RELAXED_TRIES_MAX; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      [a, b] = await Promise.all([ours.play(call), theirs.play(call)]);
    }
    const count = verbs.get(call.verb) ?? { requests: 0, agreed: 0, succeeded: 0 };
    verbs.set(call.verb, count);
    count.requests++;
    if (b.status < 300) count.succeeded++;
    const what = difference(a, b);
    if (what === undefined) {
      count.agreed++;
      continue;
    }
    disagreements.push({ index, verb: call.verb, call: `${call.method} ${call.target} ${shown(call)}`, what });
    // From the same state again, so that one difference does not lead to the next.
    await empty(call.collection);
  }
  for (const place of places) await empty(place.collection);
  const failures = disagreements.filter(({ what }) => /^status: embedded 5\d\d, real 4/.test(what));
  return { seed: options.seed, verbs, disagreements, failures };
}

export interface LonelyReport {
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What the server did not expect, by message. */
  readonly internalErrors: ReadonlyMap<string, number>;
}

/** The same requests to one server only; `onPart` is called after each tenth of them, when nothing is left. */
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
    if (index % FURNISHED_EVERY === 0) await player.furnish();
    const { status, message, answer } = await player.play(nextCall(rng, index));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (answer.reason === "InternalError") internalErrors.set(message, (internalErrors.get(message) ?? 0) + 1);
    if ((index + 1) % EMPTIED_EVERY === 0) for (const place of places) await player.empty(place.collection);
    if ((index + 1) % Math.ceil(requests / 10) !== 0) continue;
    await subject.forgetHistory();
    onPart(index + 1);
  }
  return { statuses, internalErrors };
}

/** Lists stay short, and what one request left behind does not matter for ever. */
const EMPTIED_EVERY = 200;
/** Most requests should find what they are about. */
const FURNISHED_EVERY = 20;
const RELAXED_TRIES_MAX = 25;

/** Any state will do: the real server answers from a cache that lags a little. */
const isRelaxedRead = ({ method, target }: FuzzedCall): boolean =>
  method === "GET" && target.includes("resourceVersion=0");

const shown = ({ body, headers }: FuzzedCall): string =>
  `${JSON.stringify(headers ?? {})} ${body === undefined ? "" : JSON.stringify(body).slice(0, 400)}`;

/** Plays calls on one server, filling in that server's own versions, UIDs and tokens. */
class Player {
  readonly #subject: Subject;
  readonly #namespace: string;
  /** The last version and UID seen of each object, and the last continue token. */
  readonly #memory = new Map<string, string>();

  constructor(subject: Subject, namespace: string) {
    this.#subject = subject;
    this.#namespace = namespace;
  }

  async open(): Promise<void> {
    await teachCustomKind(this.#subject);
    await this.#subject.ask({
      method: "POST",
      target: "/api/v1/namespaces",
      body: { metadata: { name: this.#namespace } },
    });
  }

  /** Leaves no object of this test in the collection. */
  async empty(collection: string): Promise<void> {
    const target = collection.replace("$ns", this.#namespace);
    const { body } = await this.#subject.ask({ method: "GET", target });
    const { items } = body as { items: { metadata: { name: string; finalizers?: string[] } }[] };
    for (const { metadata } of items) {
      const { name, finalizers } = metadata;
      // Of a cluster-scoped kind there may be others.
      if (!collection.includes("$ns") && !name.startsWith(`${this.#namespace}-`) && !/^n\d+$/.test(name)) continue;
      const one = { target: `${target}/${name}`, headers: { "content-type": "application/merge-patch+json" } };
      await this.#subject.ask({ method: "DELETE", target: one.target, body: { gracePeriodSeconds: 0 } });
      if (finalizers === undefined) continue;
      await this.#subject.ask({ ...one, method: "PATCH", body: { metadata: { finalizers: null } } });
    }
  }

  /** Makes the objects that are missing. */
  async furnish(): Promise<void> {
    for (const place of places) {
      for (const name of names) {
        const call = this.#filled({ method: "POST", target: place.collection, body: furniture(place, name) });
        this.#remember(await this.#subject.ask(call));
      }
    }
  }

  async play(fuzzed: FuzzedCall): Promise<{ status: number; message: string; answer: Comparable }> {
    const answer = await this.#subject.ask(this.#filled(fuzzed));
    this.#remember(answer);
    const message = (answer.body as { message?: string } | undefined)?.message ?? "";
    return { status: answer.status, message, answer: comparable(new Normaliser(this.#namespace).answer(answer)) };
  }

  #filled({ method, target, body, headers }: Call): Call {
    const fill = (text: string): string =>
      text
        .replaceAll("$ns", this.#namespace)
        .replace(
          /\$(rv|uid|next):([a-z0-9-]*)/g,
          (_, what: string, name: string) => this.#memory.get(`${what}:${name}`) ?? this.#memory.get(what) ?? "1",
        );
    const filledBody =
      body === undefined ? undefined : typeof body === "string" ? fill(body) : JSON.parse(fill(JSON.stringify(body)));
    return {
      method,
      target: fill(target),
      ...(filledBody === undefined ? {} : { body: filledBody }),
      ...(headers ? { headers } : {}),
    };
  }

  #remember({ body }: Answer): void {
    const { metadata } = (body ?? {}) as {
      metadata?: { name?: string; resourceVersion?: string; uid?: string; continue?: string };
    };
    if (metadata?.continue) this.#memory.set("next:", metadata.continue);
    if (metadata?.resourceVersion) this.#memory.set("rv", metadata.resourceVersion);
    if (metadata?.name === undefined) return;
    const name = metadata.name.replace(`${this.#namespace}-`, "");
    if (metadata.resourceVersion) this.#memory.set(`rv:${name}`, metadata.resourceVersion);
    if (metadata.uid) this.#memory.set(`uid:${name}`, metadata.uid);
  }
}

interface Comparable {
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly string[];
  /** Of successes only. */
  readonly body: string;
}

function comparable(answer: unknown): Comparable {
  const { status, body } = answer as {
    status: number;
    body: { reason?: string; details?: { causes?: { reason?: string; field?: string }[] } };
  };
  const causes = (body?.details?.causes ?? []).map(({ reason = "", field = "" }) => `${reason} ${field}`).sort();
  return { status, reason: body?.reason ?? "", causes, body: status < 300 ? JSON.stringify(body) : "" };
}

function difference(a: { answer: Comparable }, b: { answer: Comparable }): string | undefined {
  for (const key of ["status", "reason", "causes", "body"] as const) {
    const [ours, theirs] = [JSON.stringify(a.answer[key]), JSON.stringify(b.answer[key])];
    if (ours !== theirs) return `${key}: embedded ${ours.slice(0, 1500)}, real ${theirs.slice(0, 1500)}`;
  }
  return undefined;
}

export function reportLines({ seed, verbs, disagreements }: FuzzReport): string {
  const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
  const line = (verb: string, { requests, succeeded, agreed }: VerbCount): string =>
    `| ${verb} | ${requests} | ${percent(succeeded, requests)} | ${percent(agreed, requests)} |`;
  const sum = (key: keyof VerbCount): number => [...verbs.values()].reduce((total, count) => total + count[key], 0);
  return [
    "| verb | requests | 2xx on the real server | agreement |",
    "|---|---|---|---|",
    ...[...verbs].sort(([x], [y]) => (x < y ? -1 : 1)).map(([verb, count]) => line(verb, count)),
    line("all", { requests: sum("requests"), succeeded: sum("succeeded"), agreed: sum("agreed") }),
    "",
    `Seed "${seed}", ${disagreements.length} disagreements.`,
  ].join("\n");
}
