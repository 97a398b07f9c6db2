// Plays fuzzed requests on one server with that server's versions, UIDs and tokens, and creates the objects that
// requests need.

import { parseExactJson } from "#api/json.ts";
import { stringifyJson } from "#base/json.ts";
import { teachContraptions, teachCustomKind } from "./custom-kind.ts";
import type { Answer, Call, Subject } from "./exchange.ts";
import type { FuzzedCall } from "./fuzz-calls.ts";
import { furniture, nameAt, type Place, places } from "./fuzz-kinds.ts";
import { edited } from "./fuzz-random.ts";
import type { Round } from "./fuzz-watches.ts";
import { yamlOf } from "./fuzz-yaml.ts";
import { Normaliser } from "./normalise.ts";

export interface Played {
  readonly status: number;
  readonly message: string;
  /** The compared parts. */
  readonly normal: NormalAnswer;
}

export interface NormalAnswer {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

export interface PlayedRound {
  /** The answers of the watches come first. */
  readonly answers: readonly Played[];
  /** From the first watch to the last write. */
  readonly writtenMs: number;
}

const MERGE = { "content-type": "application/merge-patch+json" };
const ROUNDS_MAX = 5;
const SETTLE_TRIES_MAX = 500;

export class Player {
  readonly #subject: Subject;
  readonly #namespace: string;
  /** The last version and UID seen of each object, the last version of all and the last continue token. */
  readonly #memory = new Map<string, string>();
  #normaliser: Normaliser;

  constructor(subject: Subject, namespace: string) {
    this.#subject = subject;
    this.#namespace = namespace;
    this.#normaliser = new Normaliser(namespace);
  }

  /** Earlier versions are too old for watches afterwards. */
  async open(): Promise<void> {
    await this.#teach();
    await this.#subject.forgetHistory();
    await this.#teach();
    for (const name of [this.#namespace, `${this.#namespace}-quota`, `${this.#namespace}-services`])
      await this.#ask("POST", "/api/v1/namespaces", { metadata: { name } });
    await this.#ask("POST", `/api/v1/namespaces/${this.#namespace}/serviceaccounts`, { metadata: { name: "default" } });
  }

  async #teach(): Promise<void> {
    await teachCustomKind(this.#subject);
    await teachContraptions(this.#subject);
  }

  /** Deletes all objects of this test. Placeholders of versions and UIDs start again afterwards. */
  async empty(wanted: readonly Place[] = places): Promise<void> {
    for (const place of wanted) await this.#emptyOne(place);
    this.#normaliser = new Normaliser(this.#namespace);
  }

  async #emptyOne(place: Place): Promise<void> {
    const target = place.collection.replaceAll("$ns", this.#namespace);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const { body } = await this.#ask("GET", target);
      const { items } = body as { items: { metadata: { name: string; finalizers?: string[] }; spec?: object }[] };
      // A cluster-scoped kind has other objects too, and pods need a service account.
      const [prefix = "", suffix = ""] = nameAt(place, " ").replaceAll("$ns", this.#namespace).split(" ");
      const isOwn = (name: string): boolean => name.startsWith(prefix) && name.endsWith(suffix) && name !== "default";
      const own = items.filter(({ metadata }) => isOwn(metadata.name));
      if (own.length === 0) return;
      for (const { metadata } of own) {
        const one = `${target}/${metadata.name}`;
        // The status may forbid every other change.
        for (const path of metadata.finalizers ? [one, `${one}/status`] : [])
          if ((await this.#ask("PATCH", path, { metadata: { finalizers: null } }, MERGE)).status < 300) break;
        const { body: left } = await this.#ask("DELETE", one, { gracePeriodSeconds: 0 });
        if (place.kind === "Namespace" && (left as { kind?: string }).kind === "Namespace")
          await this.#ask("PUT", `${one}/finalize`, { metadata: { name: metadata.name }, spec: { finalizers: [] } });
      }
      await this.#settle(place);
    }
    throw new Error(`${this.#subject.name} does not give up ${target}`);
  }

  async play(fuzzed: FuzzedCall): Promise<Played> {
    if (fuzzed.ensures !== undefined) await this.#ensure(fuzzed.place, fuzzed.ensures);
    const answer = await this.#subject.ask(await this.#filled(fuzzed));
    if (fuzzed.method !== "GET") await this.#settle(fuzzed.place);
    return this.#played(fuzzed.place, answer);
  }

  /** Plays the writes while the watches are open. */
  async playRound({ watches, writes }: Round): Promise<PlayedRound> {
    // Reads the latest state first: the real server's watches start from a cache.
    for (const place of new Set(watches.map((each) => each.place)))
      await this.#ask("GET", place.collection.replaceAll("$ns", this.#namespace));
    const start = performance.now();
    const written = Promise.withResolvers<void>();
    const opened: Promise<void>[] = [];
    const answers: Promise<Answer>[] = [];
    for (const each of watches) {
      const isOpen = Promise.withResolvers<void>();
      const onOpen = (): Promise<void> => {
        isOpen.resolve();
        return written.promise;
      };
      const answer = this.#subject.ask({ ...(await this.#filled(each)), onOpen });
      answers.push(answer);
      opened.push(Promise.race([isOpen.promise, answer.then(() => {})]));
    }
    await Promise.all(opened);
    const others: Played[] = [];
    for (const each of writes) others.push(await this.play(each));
    const writtenMs = performance.now() - start;
    written.resolve();
    const watched = await Promise.all(answers);
    return { answers: [...watched.map((answer) => this.#normalised(answer)), ...others], writtenMs };
  }

  async #ensure(place: Place, name: string): Promise<void> {
    const target = `${place.collection}/${nameAt(place, name)}`.replaceAll("$ns", this.#namespace);
    const { status, body } = await this.#ask("GET", target);
    this.#remember(place, body);
    if (status !== 404) return;
    const made = this.#fill(furniture(place, name));
    const answer = await this.#ask("POST", place.collection.replaceAll("$ns", this.#namespace), made);
    await this.#settle(place);
    this.#remember(place, place.isSettled ? (await this.#ask("GET", target)).body : answer.body);
  }

  /** Waits until the server has finished its own writes. If it never does, the comparison shows it. */
  async #settle(place: Place): Promise<void> {
    if (place.isSettled === undefined) return;
    for (let tries = 0; tries < SETTLE_TRIES_MAX; tries++) {
      const { body } = await this.#ask("GET", place.collection);
      if ((body as { items: object[] }).items.every(place.isSettled)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #played(place: Place, answer: Answer): Played {
    this.#remember(place, answer.body);
    return this.#normalised(answer);
  }

  #normalised(answer: Answer): Played {
    const message = (answer.body as { message?: string } | undefined)?.message ?? "";
    const normal = this.#normaliser.answer(answer) as NormalAnswer;
    return { status: answer.status, message, normal };
  }

  async #filled({ method, target, body, headers, fresh }: FuzzedCall): Promise<Call> {
    const given = fresh === undefined ? body : await this.#freshBody(target, fresh, headers);
    return {
      method,
      target: this.#fillText(target),
      ...(given === undefined ? {} : { body: typeof given === "string" ? this.#fillText(given) : this.#fill(given) }),
      ...(headers ? { headers } : {}),
    };
  }

  async #freshBody(
    target: string,
    edits: NonNullable<FuzzedCall["fresh"]>,
    headers: FuzzedCall["headers"],
  ): Promise<unknown> {
    const { body } = await this.#ask("GET", this.#fillText(target.replace(/\?.*/, "")));
    const changed = this.#sorted(edited(body, ...edits));
    return headers?.["content-type"] === "application/yaml" ? yamlOf(changed) : changed;
  }

  #fill(value: unknown): unknown {
    return parseExactJson(this.#fillText(stringifyJson(value)));
  }

  /** Sorted, because each server writes fields in a different order. */
  #sorted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#sorted(item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, this.#sorted(item)]));
  }

  #fillText(text: string): string {
    return text
      .replaceAll("$ns", this.#namespace)
      .replace(/\$(rv|uid|next|last):([a-z0-9.:-]*)/g, (_, what: string, of: string) => {
        return this.#memory.get(`${what}:${of}`) ?? "1";
      });
  }

  #ask(method: string, target: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.#subject.ask({ method, target, ...(body === undefined ? {} : { body }), ...(headers && { headers }) });
  }

  #remember(place: Place, body: unknown): void {
    const { metadata } = (body ?? {}) as {
      metadata?: { name?: string; resourceVersion?: string; uid?: string; continue?: string };
    };
    if (metadata?.continue) this.#memory.set("next:", metadata.continue);
    if (metadata?.name === undefined) return;
    // Not those of lists: the real server's cache returns older versions.
    if (metadata.resourceVersion) this.#memory.set("last:", metadata.resourceVersion);
    const of = `${place.label}.${metadata.name}`;
    if (metadata.resourceVersion) this.#memory.set(`rv:${of}`, metadata.resourceVersion);
    if (metadata.uid) this.#memory.set(`uid:${of}`, metadata.uid);
  }
}
