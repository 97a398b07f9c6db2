// The parts of which a controller consists: identity, log, client, informers, handlers, queues, workers, events and
// loops. They remember which caches must sync first and which tasks to run; controller() returns the whole.
// keyed-controller.ts turns them into a descriptor. A controller with a graph or another life cycle uses them directly.

import type { ObjectKey } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { whenAborted } from "#base/abort.ts";
import type { Logger } from "#base/log.ts";
import { TaskGroup } from "#base/task-group.ts";
import type { Client, Selection } from "#client/client.ts";
import { createInformerFactory } from "#informers/factory.ts";
import type { EventHandler, HandlerOptions, SharedInformer } from "#informers/informer.ts";
import type { ClientNeeds, Controller, ControllerContext } from "./controller.ts";
import { type EnqueueRule, enqueuing } from "./enqueuing.ts";
import { controllerEvents } from "./events/controller-events.ts";
import type { EventRecorder } from "./events/recorder.ts";
import { KeyQueue, type QueueSettings } from "./key-queue.ts";
import { type ControllerName, knownController } from "./known-controllers.ts";
import { runSynced, type Syncing, type Task } from "./run-synced.ts";
import { runWorkers, type WorkerOptions } from "./worker-loop.ts";

/** The parts of a known controller, under its identity. As upstream's, its log lines have its name. */
export function controllerParts(
  context: ControllerContext,
  name: ControllerName,
  needs?: ClientNeeds,
): Promise<ControllerParts> {
  return ControllerParts.under(knownController(name).identity, context, needs, name);
}

export type Work<K> = Omit<WorkerOptions<K & {}>, "log" | "workers"> & { readonly workers?: number };

export class ControllerParts {
  readonly context: ControllerContext;
  /** The service account, the source of events, and the name in traces. */
  readonly identity: string;
  /** As in --controllers. Controllers may share an identity. */
  readonly name: string;
  readonly log: Logger;
  readonly client: Client;
  readonly #waitFor: Syncing[] = [];
  readonly #queues: { shutDown(): void }[] = [];
  /** Run from the start. */
  readonly #pipelines: Task[] = [];
  /** Run once the caches have synced. */
  readonly #loops: Task[] = [];

  private constructor(context: ControllerContext, identity: string, name: string, client: Client) {
    this.context = context;
    this.identity = identity;
    this.name = name;
    this.client = client;
    this.log = context.log.named(name);
  }

  /** The log lines have the name; the identity unless given. */
  static async under(
    identity: string,
    context: ControllerContext,
    needs?: ClientNeeds,
    name: string = identity,
  ): Promise<ControllerParts> {
    return new ControllerParts(context, identity, name, await context.client(identity, needs));
  }

  /** The shared informer of a resource. Its cache is synced before any worker or loop begins. */
  informer<T extends StoredObject>(resource: Resource<T>, selection?: Selection): SharedInformer<T> {
    const informer = this.context.informers.informer(resource, selection);
    this.waitFor(informer);
    return informer;
  }

  /**
   * An informer under the controller's identity that no other controller shares. It syncs first, like the shared ones.
   */
  ownInformer<T extends StoredObject>(resource: Resource<T>, selection?: Selection): SharedInformer<T> {
    const { clock, rng, gates } = this.context;
    const isOn = (gate: string): boolean => gates.isEnabled(gate);
    const informers = createInformerFactory({
      client: this.client,
      clock,
      rng: rng.fork(`informers of ${this.identity}`),
      log: this.log,
      transform: (object) => object, // as upstream, managed fields stay
      gates: {
        WatchListClient: isOn("WatchListClient"),
        AtomicFIFO: isOn("AtomicFIFO"),
        InOrderInformersBatchProcess: isOn("InOrderInformersBatchProcess"),
      },
    });
    const informer = informers.informer(resource, selection);
    this.waitFor(informer);
    this.fromStart(async (signal) => {
      informers.start();
      await whenAborted(signal);
      await informers.shutdown();
    });
    return informer;
  }

  /** Adds a handler. It has seen the initial list before any worker or loop begins. */
  handle<T extends StoredObject>(
    informer: SharedInformer<T>,
    handler: EventHandler<T>,
    options?: HandlerOptions,
  ): void {
    this.waitFor(informer.addHandler(handler, options));
  }

  /** The usual handler: events of the informer's objects queue the keys that the rule names. */
  enqueue<T extends StoredObject, K extends {} = ObjectKey>(
    informer: SharedInformer<T>,
    queue: KeyQueue<K>,
    rule: EnqueueRule<T, K> & HandlerOptions,
  ): void {
    this.handle(informer, enqueuing(queue, informer.resource, rule), rule);
  }

  /** Adds a cache or handler that must be synced before any worker or loop begins. */
  waitFor(cache: Syncing): void {
    this.#waitFor.push(cache);
  }

  queue<K extends {} = ObjectKey>(settings: QueueSettings<K>): KeyQueue<K> {
    const { context, identity: controller } = this;
    const queue = new KeyQueue<K>({ ...settings, context, controller });
    this.#queues.push(queue);
    return queue;
  }

  /** Starts workers that sync the keys of a queue; one unless given. */
  work<K extends {}>(options: Work<K>): void {
    this.loop((signal) => runWorkers({ log: this.log, workers: 1, ...options }, signal));
  }

  /** Runs the task once the caches have synced, until the controller ends. */
  loop(task: Task): void {
    this.#loops.push(task);
  }

  /** Runs the task from the start, before the caches have synced, until the controller ends. */
  fromStart(task: Task): void {
    this.#pipelines.push(task);
  }

  /** Records events while the controller runs. component: the identity unless given. */
  recorder(component: string = this.identity, logLevel?: number): EventRecorder {
    const { context, client, log } = this;
    const events = controllerEvents({
      context,
      client,
      log,
      component,
      ...(logLevel === undefined ? {} : { logLevel }),
    });
    this.fromStart(events.run);
    return events.recorder;
  }

  /** All parts as one controller. verbosity: the log level of its start and end lines. */
  controller(verbosity = 0): Controller {
    const synced = {
      name: this.name,
      log: this.log.v(verbosity),
      waitFor: this.#waitFor,
      tasks: this.#loops,
    };
    return {
      run: async (signal) => {
        try {
          await TaskGroup.all(signal, [...this.#pipelines, (signal) => runSynced(synced, signal)]);
        } finally {
          for (const queue of this.#queues) queue.shutDown();
        }
      },
    };
  }
}
