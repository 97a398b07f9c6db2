// The scheduler alone on the embedded server, in virtual time, with its own user. The test creates nodes and pods, and
// acts as the kubelets and provisioners.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { Events, Nodes, Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { NodeSpec, Pod, PodSpec } from "#api/generated/types/core-v1.ts";
import type { Draft, Resource, Stored, StoredObject } from "#api/resource.ts";
import { bytesTransport } from "#apiserver/in-process-transport.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { bareHost, hostTurn } from "#base/testing.ts";
import { rootClientBuilder } from "#manager/clients/client-builder.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type RegisteredController, registeredControllers } from "#manager/registry.ts";
import { runControllers } from "#manager/run-controllers.ts";
import { buildScheduler, SCHEDULER_IDENTITY } from "#scheduler/scheduler.ts";
import { RequestLog } from "#sim/request-log.ts";
import { World } from "#sim/world.ts";
import { type Interception, intercepted } from "#test/stage/faulty-network.ts";

const NAMESPACE = "default";

export interface StageOptions {
  readonly intercept?: Interception;
  /** Controllers that run with the scheduler. */
  readonly controllers?: readonly string[];
}

interface NodeOptions {
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeSpec;
}

export interface PodOptions extends Partial<PodSpec> {
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export class SchedulerStage implements AsyncDisposable {
  readonly world: World;
  readonly log: RequestLog;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  private constructor({ intercept = () => undefined, controllers = [] }: StageOptions) {
    this.world = new World({ turn: hostTurn, gates: featureGateTable(), seed: "scheduler" });
    const { clock } = this.world;
    this.log = new RequestLog(clock);
    const user = { name: SCHEDULER_IDENTITY, groups: ["system:authenticated"] };
    const server = bytesTransport(this.world.server, { peer: { user } });
    const options = { clock, limits: { qps: -1, burst: 0 }, userAgentPrefix: "steersman" };
    const own = rootClientBuilder(this.log.over(intercepted(server, intercept)), options);
    const admin = { user: { name: "admin", groups: ["system:masters"] } };
    const clients = rootClientBuilder(bytesTransport(this.world.server, { peer: admin }), options);
    const scheduler: RegisteredController = {
      name: "scheduler",
      featureGates: [],
      build: (context, _, signal) =>
        buildScheduler({ ...context, client: (name, needs = {}) => own.client(name, needs, signal) }),
    };
    const Generic = { ...defaultConfig.Generic, Controllers: ["scheduler", ...controllers] };
    this.#ended = runControllers(
      {
        clock,
        rng: seededRng("scheduler"),
        log: noLog,
        metrics: noMetrics,
        gates: new FeatureGates(featureGateTable(), "1.36"),
        settings: { config: { ...defaultConfig, Generic }, host: bareHost },
        rootClients: clients,
        controllerClients: clients,
        shutdownTimeoutMs: 0,
        controllers: [scheduler, ...registeredControllers.filter(({ name }) => controllers.includes(name))],
      },
      this.#stop.signal,
    );
  }

  static async open(options: StageOptions = {}): Promise<SchedulerStage> {
    const stage = new SchedulerStage(options);
    await stage.create(ServiceAccounts, { metadata: { name: "default", namespace: NAMESPACE } });
    return stage;
  }

  create<T extends StoredObject>(resource: Resource<T>, object: Draft<T>): Promise<T> {
    return this.world.do((client, signal) => client.resource(resource).create({ object }, signal));
  }

  async node(name: string, { cpu = "4", labels = {}, spec = {} }: NodeOptions = {}): Promise<void> {
    const metadata = { name, labels: { "kubernetes.io/hostname": name, ...labels } };
    await this.create(Nodes, { metadata, spec });
    // The API server taints new nodes until their conditions are known.
    await this.patch(Nodes, name, { spec: { taints: spec.taints ?? [] } });
    const status = {
      allocatable: { cpu, memory: "16Gi", pods: "110" },
      capacity: { cpu, memory: "16Gi", pods: "110" },
    };
    await this.patch(Nodes, name, { status }, "status");
  }

  pod(name: string, options: PodOptions = {}): Promise<Stored<Pod>> {
    return this.create(Pods, draftOf(name, options));
  }

  /** Creates all pods at the same time. */
  async pods(names: readonly string[], optionsOf: (name: string) => PodOptions): Promise<void> {
    await this.world.do((client, signal) =>
      Promise.all(
        names.map((name) => client.resource(Pods).create({ object: draftOf(name, optionsOf(name)) }, signal)),
      ),
    );
  }

  patch<T extends StoredObject>(resource: Resource<T>, name: string, patch: unknown, subresource?: string): Promise<T> {
    const place = resource.scope === "Namespaced" ? { namespace: NAMESPACE } : {};
    const part = subresource === undefined ? {} : { subresource };
    return this.world.do((client, signal) =>
      client.resource(resource).patch({ ...place, name, type: "merge", patch, ...part }, signal),
    );
  }

  delete(name: string): Promise<void> {
    const options = { gracePeriodSeconds: 0 };
    return this.world.do((client, signal) =>
      client.resource(Pods).delete({ namespace: NAMESPACE, name, options }, signal),
    );
  }

  get<T extends StoredObject>(resource: Resource<T>, name: string): Promise<T> {
    const place = resource.scope === "Namespaced" ? { namespace: NAMESPACE } : {};
    return this.world.do((client, signal) => client.resource(resource).get({ ...place, name }, signal));
  }

  /** The nodes of the pods, after everything that is due has happened; "" for none. */
  async places(...names: readonly string[]): Promise<readonly string[]> {
    await this.world.clock.settle();
    const { items } = await this.world.do((client, signal) =>
      client.resource(Pods).list({ namespace: NAMESPACE }, signal),
    );
    const byName = new Map(items.map(({ metadata, spec }) => [metadata.name, spec?.nodeName ?? ""]));
    return names.map((name) => byName.get(name) ?? "gone");
  }

  /** The condition with the reason why a pod has no node: "Unschedulable: …". */
  async why(name: string): Promise<string> {
    await this.world.clock.settle();
    const { status } = await this.get(Pods, name);
    const { status: value, reason, message } = status?.conditions?.find(({ type }) => type === "PodScheduled") ?? {};
    return value === "False" ? `${reason}: ${message}` : "";
  }

  /** "reason: message" of the events about a pod, each repeated by its count. */
  async events(name: string): Promise<readonly string[]> {
    await this.world.clock.settle();
    const { items } = await this.world.do((client, signal) =>
      client.resource(Events).list({ namespace: NAMESPACE }, signal),
    );
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ source, reason, message }) => `${source?.component} ${reason}: ${message}`);
  }

  /** "METHOD path" of the scheduler's writes, without events. */
  get writes(): readonly string[] {
    return this.log.writes
      .filter(({ target }) => !target.includes("/events"))
      .map(({ method, target, code }) => `${method} ${target} ${code}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.world.do(() => this.#ended);
  }
}

function draftOf(name: string, { cpu, labels = {}, ...spec }: PodOptions): Draft<Stored<Pod>> {
  const resources = cpu === undefined ? {} : { requests: { cpu } };
  return {
    metadata: { name, namespace: NAMESPACE, labels },
    spec: { ...spec, containers: [{ name: "main", image: "main", resources }] },
  };
}
