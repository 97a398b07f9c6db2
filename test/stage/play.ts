// One play of a scenario on any stage: names, phases, checks. A Backend supplies the cluster.

import { createHash } from "node:crypto";
import { Events } from "#api/generated/resources/core-v1.ts";
import type { Event } from "#api/generated/types/core-v1.ts";
import type { Resource } from "#api/resource.ts";
import { stringifyJson } from "#base/json.ts";
import type { AggregatedApi } from "#sim/aggregated-apis.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type HeldResource, qualifiedName } from "./held-watches.ts";
import { isDecision, isRefused, writeOf } from "./requests.ts";
import type { Scenario } from "./scenario.ts";
import type { Reader, Stage, StageUser } from "./stage.ts";
import { type Ground, objectSteps, type Run, readSteps, type ScenarioWrite } from "./steps.ts";

const QUIET_MS = 1000;
/**
 * A controller writes the Events of all plays one by one, after the fact. If it has written none for this long, none
 * are left. A controller that keeps failing never stops.
 */
const QUIET_EVENTS_MS = 500;
const EVENTS_PATIENCE_MS = 10_000;
const SETTLE_PATIENCE_MS = 60_000;
const LOOK_MS = 100;

/** The cluster under a play. */
export interface Backend {
  /** Part of the names of the play's namespaces and cluster-scoped objects. */
  readonly tag: string;
  /** Whether the stage injects no faults. */
  readonly isCalm: boolean;
  /** The shortest time without a write that ends a phase. */
  readonly quietMsMin: number;
  readonly run: Run;
  /** Calls as another user. */
  runAs(user: StageUser): Run;
  runs(controller: string): boolean;
  now(): number;
  pass(ms: number): Promise<void>;
  until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T>;
  /** The number of Events that the controllers have written, in all plays. */
  eventsWritten(): number;
  /** The controllers' finished requests about this play, oldest first. */
  requests(): readonly AuditEvent[];
  /** From now on the check runs after every write, or at intervals. */
  watch(check: () => Promise<void>): void;
  /** A call that may run while the controllers work. */
  readonly peek: Run;
  serve(api: AggregatedApi): Promise<void>;
  /** Holds back the events of a resource from the controllers. */
  hold(resource: HeldResource): void;
  release(resource: HeldResource): void;
  /** Plays `meanwhile` while no manager can reach the API server. Resolves when all watches are open again. */
  outage(meanwhile: () => Promise<void>): Promise<void>;
  /** Stops the managers, plays `meanwhile`, and starts managers again. Resolves when they have started. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
}

/** A step that changed something. */
export interface PlayedStep {
  readonly phase: number;
  readonly write: ScenarioWrite;
}

const LABEL_CHARACTERS = 10;

export class Play {
  readonly stage: Stage;
  readonly steps: PlayedStep[] = [];
  /** Generated names and their symbolic names in comparisons. */
  readonly symbols: Map<string, string> = new Map();
  /** The objects that the scenario wrote, by UID: "ConfigMap web". */
  readonly written: Map<string, string> = new Map();
  /** Live reads that a controller repeats while nothing changes: "1 replicasets web" in phase 1; "*" for all. */
  readonly repeated: Set<string> = new Set();
  /** The number of requests at the end of each phase. */
  readonly phaseEnds: number[] = [];
  readonly #scenario: Scenario;
  readonly #backend: Backend;
  readonly #checks: { readonly what: string; readonly holds: (reader: Reader) => Promise<boolean> }[] = [];
  #broken: string | undefined;
  #isCalmCheck = false;
  #isStandIn = false;
  /** By qualified name. */
  readonly #held = new Map<string, HeldResource>();
  readonly #reserved = new Set<string>();

  constructor(scenario: Scenario, backend: Backend) {
    this.#scenario = scenario;
    this.#backend = backend;
    if (scenario.polls) this.repeated.add("*");
    this.stage = this.#stage();
  }

  /** Plays the whole scenario. Its end is the end of the last phase. */
  async run(): Promise<void> {
    try {
      await this.#scenario.play(this.stage);
      await this.stage.settle();
      await this.#untilEventsAreWritten();
    } finally {
      for (const resource of this.#held.values()) this.#backend.release(resource);
    }
    if (this.#broken !== undefined) throw new Error(this.#broken);
  }

  /** The requests of each phase. */
  phases(): readonly (readonly AuditEvent[])[] {
    const requests = this.#backend.requests();
    return this.phaseEnds.map((end, index) => requests.slice(this.phaseEnds[index - 1] ?? 0, end));
  }

  #stage(): Stage {
    const { tag, isCalm, run, peek } = this.#backend;
    const namespaceOf = ({ scope }: Pick<Resource, "scope">, given: string | undefined): string | undefined =>
      scope === "Namespaced" ? (given ?? tag) : undefined;
    const ground: Ground = {
      run,
      until: (what, probe) => this.#until(what, probe),
      onWrite: (write) => this.#onWrite(write),
      onWritten: (kind, { metadata: { uid = "", name = "" } = {} }) => {
        if (uid !== "" && name !== "" && !this.written.has(uid)) this.written.set(uid, `${kind} ${name}`);
      },
    };
    const stage: Stage = {
      namespace: tag,
      name: (base) => `${base}-${tag}`,
      reserve: (name) => {
        this.#reserved.add(name);
        return name;
      },
      label: createHash("sha256").update(this.#scenario.name).digest("hex").slice(0, LABEL_CHARACTERS),
      runs: (controller) => this.#backend.runs(controller),
      now: () => this.#backend.now(),
      pass: (ms) => this.#backend.pass(ms),
      of: (resource, namespace) => objectSteps(ground, resource, namespaceOf(resource, namespace)),
      as: (user) => {
        const asUser = { ...ground, run: this.#backend.runAs(user) };
        return { of: (resource, namespace) => objectSteps(asUser, resource, namespaceOf(resource, namespace)) };
      },
      until: ground.until,
      always: (what, holds) => {
        if (this.#checks.length === 0) this.#backend.watch(() => this.#check(reader));
        this.#checks.push({ what, holds });
      },
      calm: async (check) => {
        if (!isCalm) return;
        this.#isCalmCheck = true;
        try {
          await check();
        } finally {
          this.#isCalmCheck = false;
        }
      },
      writes: async () => {
        if (!this.#isCalmCheck) throw new Error("stage.writes() belongs into stage.calm(() => …)");
        return this.#backend.requests().filter(isDecision).map(writeOf);
      },
      event: async (reason, holds = () => true) => {
        if (!isCalm) return;
        let last: readonly Event[] = [];
        const isOfPlay = ({ involvedObject }: Event): boolean => involvedObject?.name?.endsWith(`-${tag}`) === true;
        const probe = async (): Promise<boolean> => {
          // Events about cluster-scoped objects are in the namespace "default".
          const wide = (await stage.of(Events, "default").list()).filter(isOfPlay);
          last = [...(await stage.of(Events).list()), ...wide];
          return last.some((event) => event.reason === reason && holds(event));
        };
        await ground.until(`an Event ${reason}: ${holds}`, probe).catch((error: Error) => {
          const seen = last.map((event) => `${event.type} ${event.reason} ${event.message}`);
          throw new Error(`${error.message}\nEvents: ${stringifyJson(seen)}`, { cause: error });
        });
      },
      settle: (quietMs = QUIET_MS) => this.#settle(quietMs),
      standIn: async (controller, step) => {
        if (this.#backend.runs(controller)) return;
        this.#isStandIn = true;
        try {
          await step();
        } finally {
          this.#isStandIn = false;
        }
      },
      call: (name, symbol) => {
        this.symbols.set(name, symbol);
      },
      isCalled: (name) => this.symbols.has(name),
      serve: async (api) => {
        if (api.resources === undefined) this.#needAlone("serving a broken group");
        await this.#backend.serve(api);
      },
      hold: (resource) => {
        if (!resource.group.includes(tag)) this.#needAlone("holding watches");
        this.#held.set(qualifiedName(resource), resource);
        this.#backend.hold(resource);
      },
      release: (resource) => {
        this.#held.delete(qualifiedName(resource));
        this.#backend.release(resource);
      },
      restart: async (meanwhile = async () => undefined) => {
        this.#needAlone("a restart of the manager");
        await this.#backend.restart(meanwhile);
      },
      outage: async (meanwhile) => {
        this.#needAlone("an outage");
        await this.#backend.outage(meanwhile);
      },
      untilRefused: async (count) => {
        // With faults the back-off of a key grows differently, so one refusal is enough.
        const wanted = isCalm ? count : 1;
        const isEnough = async (): Promise<boolean> => this.#newRequests(0).filter(isRefused).length >= wanted;
        await ground.until(`${wanted} refused writes`, isEnough);
      },
      untilRead: async ({ resource }, name) => {
        const isOf = ({ verb, objectRef }: AuditEvent): boolean =>
          verb === "get" && objectRef?.resource === resource && objectRef.name === name;
        const began = this.phaseEnds.at(-1) ?? 0;
        await ground.until(`a live read of ${resource} ${name}`, async () => this.#newRequests(began).some(isOf));
        this.repeated.add(`${this.phaseEnds.length + 1} ${resource} ${name}`);
      },
    };
    const reader: Reader = {
      of: (resource, namespace) => readSteps(peek, resource, namespaceOf(resource, namespace)),
    };
    return stage;
  }

  #needAlone(what: string): void {
    if (!this.#scenario.alone) throw new Error(`${what} is felt by every play: the scenario must be alone`);
  }

  #newRequests(since: number): readonly AuditEvent[] {
    return this.#backend.requests().slice(since);
  }

  async #until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
    const found = await this.#backend.until(what, probe);
    if (this.#broken !== undefined) throw new Error(this.#broken);
    return found;
  }

  async #check(reader: Reader): Promise<void> {
    for (const { what, holds } of this.#checks) {
      if (this.#broken === undefined && !(await holds(reader))) this.#broken = `does not hold always: ${what}`;
    }
  }

  #onWrite(write: ScenarioWrite): void {
    const { resource, name } = write;
    if (this.#isCalmCheck) throw new Error(`a check inside stage.calm() must not write: ${write.verb} ${name}`);
    const { tag } = this.#backend;
    const [object = ""] = name.split("/", 1);
    const isOwn = name.includes(tag) || this.symbols.has(object) || this.#reserved.has(object);
    if (resource.scope === "Cluster" && !this.#scenario.alone && !isOwn) {
      throw new Error(
        `${resource.resource} ${name}: names of cluster scope come from stage.name(), or the play is alone`,
      );
    }
    if (!this.#isStandIn) this.steps.push({ phase: this.phaseEnds.length, write });
  }

  async #settle(wantedMs: number): Promise<void> {
    const { now, requests, quietMsMin } = this.#backend;
    const quietMs = Math.max(wantedMs, quietMsMin);
    const settled = await this.#untilQuiet(() => requests().filter(isDecision).length, quietMs, SETTLE_PATIENCE_MS);
    if (!settled) throw new Error(`the controllers have not stopped writing at ${new Date(now()).toISOString()}`);
    this.phaseEnds.push(requests().length);
    if (this.#broken !== undefined) throw new Error(this.#broken);
  }

  /** Events that are written after the last phase belong to it. */
  async #untilEventsAreWritten(): Promise<void> {
    await this.#untilQuiet(() => this.#backend.eventsWritten(), QUIET_EVENTS_MS, EVENTS_PATIENCE_MS);
    this.phaseEnds.splice(-1, 1, this.#backend.requests().length);
  }

  /** Waits until the count stays the same for `quietMs`; false if `patienceMs` pass first. */
  async #untilQuiet(count: () => number, quietMs: number, patienceMs: number): Promise<boolean> {
    const { now } = this.#backend;
    const beganMs = now();
    let seen = { count: count(), sinceMs: beganMs };
    while (now() - seen.sinceMs < quietMs) {
      if (now() - beganMs > patienceMs) return false;
      await this.#backend.pass(LOOK_MS);
      const counted = count();
      if (counted !== seen.count) seen = { count: counted, sinceMs: now() };
    }
    return true;
  }
}
