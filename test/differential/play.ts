// Plays one scenario in a namespace of its own and records what the controllers under comparison left behind.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { KubeList, KubeObject } from "#api/object.ts";
import { ApiError } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import { errorMessage } from "#base/errors.ts";
import { stringifyJson } from "#base/json.ts";
import type { Client } from "#client/client.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import type { AuditFollower } from "./audit-follower.ts";
import { NAMESPACE, type OwnerKind, type Play, type Scenario } from "./scenario.ts";
import type { WatchingProxy } from "./watching-proxy.ts";

const PROBE_MS = 50;
/** No write for so long means that the controllers have nothing more to do. */
const QUIET_MS = 1000;
const PATIENCE_MS = 60_000;

/** What a run left behind, as the server tells it. */
export interface Recording {
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  /** The writes of each phase, in the order of the audit log. */
  readonly phases: readonly (readonly AuditEvent[])[];
  /** The live reads of each phase. */
  readonly reads: readonly (readonly AuditEvent[])[];
  /** Live reads of a phase that are repeated as long as nothing changes: "1 replicasets web". */
  readonly repeated: ReadonlySet<string>;
  /** The scenario's own names of generated names. */
  readonly symbols: ReadonlyMap<string, string>;
}

/** The kinds whose final state is compared. */
const RECORDED = ["api/v1:replicationcontrollers", "apis/apps/v1:replicasets", "api/v1:pods"] as const;

const CONTROLLER_OF = { ReplicaSet: "replicaset-controller", ReplicationController: "replication-controller" };

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What a scenario is played with. */
export interface Props {
  readonly client: Client;
  readonly follower: AuditFollower;
  readonly proxy: WatchingProxy;
}

export async function playScenario(props: Props, scenario: Scenario, namespace: string): Promise<Recording> {
  const stage = new RealStage(props, namespace);
  await stage.open();
  try {
    await scenario.play(stage.as("ReplicaSet"));
    await stage.settle();
    return await stage.record();
  } finally {
    await stage.close();
  }
}

class RealStage {
  readonly #client: Client;
  readonly #follower: AuditFollower;
  readonly #proxy: WatchingProxy;
  readonly #namespace: string;
  /** Where nothing is recorded. */
  readonly #elsewhere: string;
  #markers = 0;
  readonly #symbols = new Map<string, string>();
  readonly #repeated = new Set<string>();
  readonly #held = new Set<string>();
  /** How many writes and reads had been seen when each phase ended. */
  readonly #phaseEnds: { readonly writes: number; readonly reads: number }[] = [];

  constructor({ client, follower, proxy }: Props, namespace: string) {
    this.#client = client;
    this.#follower = follower;
    this.#proxy = proxy;
    this.#namespace = namespace;
    this.#elsewhere = `${namespace}-elsewhere`;
  }

  /** New namespaces, usable once their default service accounts are there. */
  async open(): Promise<void> {
    for (const name of [this.#namespace, this.#elsewhere]) {
      await this.#call("POST", "/api/v1/namespaces", { metadata: { name } });
      const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
      await this.until("the default service account", () => this.#call("GET", account, undefined, [404]));
    }
  }

  /** Leaves nothing that the next manager would work on. */
  async close(): Promise<void> {
    for (const resource of this.#held) this.release(resource);
    const orphan = { propagationPolicy: "Orphan" };
    for (const kind of ["replicasets", "replicationcontrollers"]) {
      const { items } = await this.#list(kind);
      for (const { metadata } of items) {
        const path = `${kind}/${metadata?.name}`;
        if (metadata?.finalizers?.length) await this.patch(path, { metadata: { finalizers: null } });
        await this.delete(path, { propagationPolicy: "Background" });
      }
    }
    for (const { metadata } of (await this.#list("pods")).items) {
      if (metadata?.finalizers?.length) await this.patch(`pods/${metadata.name}`, { metadata: { finalizers: null } });
    }
    await this.#call("DELETE", this.#path("pods"), { ...orphan, gracePeriodSeconds: 0 });
    for (const owners of ["apis/apps/v1:replicasets", "api/v1:replicationcontrollers"]) {
      const [prefix, resource] = owners.split(":");
      const path = `/${prefix}/namespaces/${this.#elsewhere}/${resource}`;
      await this.#call("DELETE", path, { propagationPolicy: "Background" });
    }
  }

  as(kind: OwnerKind): Play {
    const owners = kind === "ReplicaSet" ? "replicasets" : "replicationcontrollers";
    const play: Play = {
      namespace: this.#namespace,
      kind,
      of: (other) => this.as(other),
      create: (object) => this.create(object),
      patch: (path, patch) => this.patch(path, patch),
      delete: (path, options) => this.delete(path, options),
      post: async (path, object) => void (await this.#call("POST", this.#path(path), object)),
      get: (path) => this.get(path),
      owner: (name, replicas, more) => this.create(ownerOf(kind, name, replicas, more)),
      scale: (name, replicas) => this.patch(`${owners}/${name}`, { spec: { replicas } }),
      untilStatus: async (name, wanted) => {
        let last: unknown;
        const isWanted = async (): Promise<true | undefined> => {
          const owner = await this.get<{ status?: Record<string, unknown> } & KubeObject>(`${owners}/${name}`);
          last = owner;
          const { status = {} } = owner ?? {};
          return Object.entries(wanted).every(([field, value]) => (status[field] ?? 0) === value) ? true : undefined;
        };
        await this.until(`status ${JSON.stringify(wanted)} of ${name}`, isWanted).catch((error: Error) => {
          throw new Error(`${error.message}: ${JSON.stringify(last)}`, { cause: error });
        });
      },
      pod: (name, labels, more) => this.create(podOf(name, labels, more)),
      pods: () => this.pods(),
      call: async (...symbols) => {
        const generated = (await this.pods()).filter(({ metadata }) => metadata?.generateName !== undefined);
        const names = generated.map(({ metadata }) => metadata?.name ?? "");
        const unnamed = names.filter((name) => !this.#symbols.has(name));
        for (const [index, symbol] of symbols.entries()) this.#symbols.set(unnamed[index] ?? "", symbol);
        return unnamed.slice(0, symbols.length);
      },
      ready: (pod, since = new Date()) =>
        this.patch(`pods/${pod}/status`, {
          status: {
            phase: "Running",
            conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(since.getTime()) }],
          },
        }),
      bind: (pod, node) =>
        play.post(`pods/${pod}/binding`, {
          metadata: { name: pod },
          target: { apiVersion: "v1", kind: "Node", name: node },
        }),
      until: (what, probe) => this.until(what, probe),
      untilGone: async (path) => {
        await this.until(`the end of ${path}`, async () => ((await this.get(path)) ? undefined : true));
      },
      untilRefused: async (count) => {
        // Conflicts are chance; refusals are what the server's rules say.
        const isRefusal = ({ responseStatus: { code = 0 } = {} }: AuditEvent): boolean => code >= 400 && code !== 409;
        await this.until(`${count} refused writes`, async () =>
          this.#writes().filter(isRefusal).length >= count ? true : undefined,
        );
      },
      untilRead: async (resource, name) => {
        const isOf = ({ objectRef }: AuditEvent): boolean =>
          objectRef?.resource === resource && objectRef.name === name;
        await this.until(`a look at ${resource} ${name}`, async () => this.#newReads().some(isOf) || undefined);
        this.#repeated.add(`${this.#phaseEnds.length + 1} ${resource} ${name}`);
      },
      settle: () => this.settle(),
      hold: (resource) => {
        this.#held.add(resource);
        this.#proxy.hold(resource);
      },
      release: (resource) => this.release(resource),
    };
    return play;
  }

  release(resource: string): void {
    this.#held.delete(resource);
    this.#proxy.release(resource);
  }

  async create(object: KubeObject, namespace = this.#namespace): Promise<void> {
    const { apiVersion = "v1", kind = "" } = object;
    const prefix = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    await this.#call("POST", `${prefix}/namespaces/${namespace}/${kind.toLowerCase()}s`, object);
  }

  async patch(path: string, patch: unknown): Promise<void> {
    await this.#call("PATCH", this.#path(path), patch);
  }

  async delete(path: string, options: object = {}): Promise<void> {
    await this.#call("DELETE", this.#path(path), options, [404]);
  }

  async get<T extends KubeObject>(path: string): Promise<T | undefined> {
    return await this.#call<T>("GET", this.#path(path), undefined, [404]);
  }

  async pods(): Promise<readonly Pod[]> {
    const { items } = await this.#list("pods");
    const age = ({ metadata }: KubeObject): string => `${metadata?.creationTimestamp} ${metadata?.name}`;
    return (items as readonly Pod[]).toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
  }

  async until<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = await probe();
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw new Error(`waited in vain for ${what} in ${this.#namespace}`);
      await sleep(PROBE_MS);
    }
  }

  async settle(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    let seen = this.#writes().length;
    for (let since = performance.now(); performance.now() - since < QUIET_MS; ) {
      if (since > deadline) throw new Error(`there is no end of writes in ${this.#namespace}`);
      await sleep(PROBE_MS);
      const { length } = this.#writes();
      if (length !== seen) since = performance.now();
      seen = length;
    }
    await this.#drain();
    this.#phaseEnds.push({ writes: this.#writes().length, reads: this.#follower.readsIn(this.#namespace).length });
  }

  /**
   * A controller writes its events one after the other, those of all namespaces, in its own time. So a last one is
   * provoked, elsewhere: when it is written, all before it are.
   */
  async #drain(): Promise<void> {
    const users = new Set(this.#writes().map(({ user }) => user.username.split(":").at(-1)));
    for (const kind of ["ReplicaSet", "ReplicationController"] as const) {
      const isBlind = kind === "ReplicaSet" && this.#held.has("replicasets");
      if (isBlind || !users.has(CONTROLLER_OF[kind])) continue;
      const name = `marker-${++this.#markers}`;
      await this.create(ownerOf(kind, name, 1), this.#elsewhere);
      const isAbout = ({ requestObject }: AuditEvent): boolean =>
        (requestObject as { involvedObject?: { name?: string } } | undefined)?.involvedObject?.name === name;
      await this.until(
        `the event of ${name}`,
        async () => this.#follower.writesIn(this.#elsewhere).some(isAbout) || undefined,
      );
    }
  }

  async record(): Promise<Recording> {
    const objects: KubeObject[] = [];
    for (const entry of RECORDED) {
      const [prefix = "", resource = ""] = entry.split(":");
      const { items } = await this.#list(resource);
      const kind = { replicasets: "ReplicaSet", replicationcontrollers: "ReplicationController" }[resource] ?? "Pod";
      objects.push(...items.map((item) => ({ apiVersion: prefix.replace(/^apis?\//, ""), kind, ...item })));
    }
    const { items: events } = await this.#list("events");
    const phasesOf = (kind: "writes" | "reads", happened: readonly AuditEvent[]): readonly (readonly AuditEvent[])[] =>
      this.#phaseEnds.map((end, index) => happened.slice(this.#phaseEnds[index - 1]?.[kind] ?? 0, end[kind]));
    return {
      namespace: this.#namespace,
      objects,
      events,
      phases: phasesOf("writes", this.#writes()),
      reads: phasesOf("reads", this.#follower.readsIn(this.#namespace)),
      repeated: this.#repeated,
      symbols: this.#symbols,
    };
  }

  #newReads(): readonly AuditEvent[] {
    return this.#follower.readsIn(this.#namespace).slice(this.#phaseEnds.at(-1)?.reads ?? 0);
  }

  #writes(): readonly AuditEvent[] {
    return this.#follower.writesIn(this.#namespace);
  }

  async #list(resource: string): Promise<KubeList<KubeObject>> {
    const list = await this.#call<KubeList<KubeObject>>("GET", this.#path(resource));
    if (list === undefined) throw new Error(`no list of ${resource}`);
    return list;
  }

  #path(below: string): string {
    const prefix = /^(replicasets|deployments)\b/.test(below) ? "/apis/apps/v1" : "/api/v1";
    return `${prefix}/namespaces/${this.#namespace}${below === NAMESPACE ? "" : `/${below}`}`;
  }

  /** The answer, or undefined when it is an error that is fine as well. */
  async #call<T>(
    method: string,
    path: string,
    body?: unknown,
    alsoFine: readonly number[] = [],
  ): Promise<T | undefined> {
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const payload = body === undefined ? {} : { contentType, body: utf8.encode(stringifyJson(body)) };
    try {
      const { bytes } = await this.#client.raw({ method, path, ...payload }, AbortSignal.timeout(PATIENCE_MS));
      return JSON.parse(text.decode(bytes)) as T;
    } catch (error) {
      if (error instanceof ApiError && alsoFine.includes(error.code)) return undefined;
      throw new Error(`${method} ${path}: ${errorMessage(error)}`, { cause: error });
    }
  }
}

const utf8 = new TextEncoder();
const text = new TextDecoder();

function ownerOf(kind: OwnerKind, name: string, replicas: number, more: object = {}): KubeObject {
  const labels = { app: name };
  const object = {
    apiVersion: kind === "ReplicaSet" ? "apps/v1" : "v1",
    kind,
    metadata: { name },
    spec: {
      replicas,
      selector: kind === "ReplicaSet" ? { matchLabels: labels } : labels,
      template: { metadata: { labels }, spec: podSpec },
      ...more,
    },
  };
  return object;
}

const podSpec = { containers: [{ name: "main", image: "example/web:1" }] };

function podOf(name: string, labels: Readonly<Record<string, string>>, more: object = {}): KubeObject {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name, labels, ...more }, spec: podSpec };
  return object;
}
