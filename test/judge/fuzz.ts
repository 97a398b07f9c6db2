// The same random requests to both servers, from one seed: bodies, patches, selectors, versions, continue
// tokens and headers, right and wrong. Counts per verb how often the answers agree, and keeps what did not.

import { seededRng } from "#base/seeded-rng.ts";
import type { Answer, Call, Subject } from "./exchange.ts";
import { type FuzzedCall, nextCall } from "./fuzz-calls.ts";
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
  for (let index = 0; index < options.requests; index++) {
    const call = nextCall(rng, index);
    const [a, b] = await Promise.all([ours.play(call), theirs.play(call)]);
    const count = verbs.get(call.verb) ?? { requests: 0, agreed: 0, succeeded: 0 };
    verbs.set(call.verb, count);
    count.requests++;
    if (b.status < 300) count.succeeded++;
    const what = difference(a, b);
    if (what === undefined) count.agreed++;
    else disagreements.push({ index, verb: call.verb, call: `${call.method} ${call.target} ${shown(call)}`, what });
  }
  const failures = disagreements.filter(({ what }) => /^status: embedded 5\d\d, real 4/.test(what));
  return { seed: options.seed, verbs, disagreements, failures };
}

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
    await this.#subject.ask({
      method: "POST",
      target: "/api/v1/namespaces",
      body: { metadata: { name: this.#namespace } },
    });
  }

  async play(fuzzed: FuzzedCall): Promise<{ status: number; answer: Comparable }> {
    const answer = await this.#subject.ask(this.#filled(fuzzed));
    this.#remember(answer);
    return { status: answer.status, answer: comparable(new Normaliser(this.#namespace).answer(answer)) };
  }

  #filled({ method, target, body, headers }: FuzzedCall): Call {
    const fill = (text: string): string =>
      text
        .replaceAll("$ns", this.#namespace)
        .replace(
          /\$(rv|uid|next):([a-z0-9-]*)/g,
          (_, what: string, name: string) => this.#memory.get(`${what}:${name}`) ?? "1",
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
  const rows = [...verbs]
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(
      ([verb, { requests, agreed, succeeded }]) =>
        `| ${verb} | ${requests} | ${percent(succeeded, requests)} | ${percent(agreed, requests)} |`,
    );
  const all = [...verbs.values()].reduce(
    (sum, { requests, agreed, succeeded }) => ({
      requests: sum.requests + requests,
      agreed: sum.agreed + agreed,
      succeeded: sum.succeeded + succeeded,
    }),
    { requests: 0, agreed: 0, succeeded: 0 },
  );
  return [
    `| verb | requests | 2xx on the real server | agreement |`,
    `|---|---|---|---|`,
    ...rows,
    `| all | ${all.requests} | ${percent(all.succeeded, all.requests)} | ${percent(all.agreed, all.requests)} |`,
    "",
    `Seed "${seed}", ${disagreements.length} disagreements.`,
  ].join("\n");
}
