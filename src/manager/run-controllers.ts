// From leadership to running control loops: builds one context and the controllers, several at a time, starts the
// informers once, then runs all loops concurrently until the signal aborts.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, BuildControllers, RunControllers.

import { durationMs } from "#api/go-duration.ts";
import { whenAborted } from "#base/abort.ts";
import { isAborted } from "#base/errors.ts";
import { jitterMs } from "#base/go-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { Controller } from "#kit/controller.ts";
import { knownControllers } from "#kit/known-controllers.ts";
import type { ClientBuilder } from "./clients/client-builder.ts";
import { type ContextDeps, createControllerContext, type SharedContext } from "./controller-context.ts";
import { isSelected } from "./controller-selection.ts";
import type { RegisteredController } from "./registry.ts";

/** Not affected by --controllers. */
const TOKEN_CONTROLLER = "serviceaccount-token-controller";

/**
 * Deviation: upstream builds one at a time. Most of building is waiting for the API server, which finds or creates each
 * controller's account. Few at a time, so that none waits noticeably for the limit of --kube-api-qps.
 */
const BUILDS_AT_ONCE = 6;

export interface RunDeps extends ContextDeps {
  readonly controllerClients: ClientBuilder;
  readonly controllers: readonly RegisteredController[];
  /** Built before all others, regardless of --controllers; undefined when switched off. */
  readonly serviceAccountTokens?: RegisteredController;
  /** Narrows --controllers further: leader migration divides the controllers between two locks. */
  readonly isAssigned?: (name: string) => boolean;
  readonly shutdownTimeoutMs: number;
  /** Receives the built controllers before any runs, for health checks and debug handlers. */
  readonly onBuilt?: (built: readonly BuiltController[]) => void;
  /** All loops have been started. */
  readonly onRunning?: () => void;
  /** The caches requested while building have synced. */
  readonly onSynced?: () => void;
}

export interface BuiltController {
  readonly name: string;
  readonly controller: Controller;
}

export class ShutdownTimeout extends Error {
  override readonly name = "ShutdownTimeout";
}

/** Resolves when all controllers have ended after an abort. Rejects at once if a controller cannot be built. */
export async function runControllers(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { log } = deps;
  const context = await logged(log, "Error building controller context", signal, () =>
    createControllerContext(deps, signal),
  );
  const built = await logged(log, "Error building controllers", signal, () => buildControllers(deps, context, signal));
  deps.onBuilt?.(built);
  context.start();
  if (deps.onSynced !== undefined) void context.synced(signal).then(deps.onSynced, () => undefined); // aborted
  try {
    await runAll(built, deps, signal);
  } finally {
    await context.shutdown();
  }
}

async function logged<T>(log: Logger, message: string, signal: AbortSignal, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!isAborted(error, signal)) log.error(error, message);
    throw error;
  }
}

async function buildControllers(
  deps: RunDeps,
  context: SharedContext,
  signal: AbortSignal,
): Promise<readonly BuiltController[]> {
  const { log, settings } = deps;
  const build = async (registered: RegisteredController, clients: ClientBuilder): Promise<BuiltController[]> => {
    const { name } = registered;
    const controller = await logged(log.with({ controller: name }), "Error initializing a controller", signal, () =>
      registered.build(context.for(clients), settings, signal),
    );
    if (controller !== undefined) return [{ name, controller }];
    log.info("Warning: skipping controller", { controller: name });
    return [];
  };
  const { serviceAccountTokens } = deps;
  const first = serviceAccountTokens === undefined ? [] : await build(serviceAccountTokens, deps.rootClients);
  const wanted = deps.controllers.filter(
    (registered) => deps.isAssigned?.(registered.name) !== false && isWanted(registered, deps),
  );
  const others = await severalAtOnce(wanted, (registered) => build(registered, deps.controllerClients));
  explainAbsent(deps);
  return [...first, ...others.flat()];
}

/** The results in the order of the items. After a failure no further item is begun. */
async function severalAtOnce<T, R>(items: readonly T[], step: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < items.length) {
      const at = begun++;
      try {
        results[at] = await step(items[at] as T);
      } catch (error) {
        begun = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: BUILDS_AT_ONCE }, work));
  return results;
}

/** Logs the controllers that need a cloud provider, and those that are not registered here. */
function explainAbsent(deps: RunDeps): void {
  const { log, controllers, serviceAccountTokens } = deps;
  const present = new Set(
    [...controllers, ...(serviceAccountTokens ? [serviceAccountTokens] : [])].map(({ name }) => name),
  );
  for (const known of knownControllers) {
    const { name, isCloud = false } = known;
    if (present.has(name) || name === TOKEN_CONTROLLER || deps.isAssigned?.(name) === false || !isWanted(known, deps))
      continue;
    if (isCloud) log.info("Skipping a cloud provider controller", { controller: name });
    log.info("Warning: skipping controller", { controller: name });
  }
}

function isWanted(
  { name, featureGates }: Pick<RegisteredController, "name" | "featureGates">,
  { log, gates, settings }: RunDeps,
): boolean {
  if (!isSelected(name, settings.config.Generic.Controllers)) {
    log.info("Warning: controller is disabled", { controller: name });
    return false;
  }
  const off = featureGates.filter((gate) => !gates.isEnabled(gate));
  if (off.length > 0) {
    log.info("Controller is disabled by a feature gate", { controller: name, requiredFeatureGates: featureGates });
    return false;
  }
  return true;
}

/** A controller that ends early does not stop the others. A controller that fails is a bug and ends the program. */
async function runAll(built: readonly BuiltController[], deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { clock, rng, log, settings } = deps;
  const intervalMs = durationMs(settings.config.Generic.ControllerStartInterval);
  const starts = rng.fork("controller-start");
  const running = new Set<string>(built.map(({ name }) => name));
  const runOne = async ({ name, controller }: BuiltController): Promise<void> => {
    try {
      if (intervalMs > 0) await clock.sleep(jitterMs(intervalMs, 1, starts), signal);
      log.v(1).info("Controller starting...", { controller: name });
      await controller.run(signal);
      log.v(1).info("Controller terminated", { controller: name });
    } catch (error) {
      if (isAborted(error, signal)) return;
      log.error(error, "Controller failed", { controller: name });
      throw error;
    } finally {
      running.delete(name);
    }
  };
  const all = Promise.all(built.map(runOne)).then(async () => {
    if (built.length === 0) await whenAborted(signal);
    else log.info("All controllers terminated");
  });
  deps.onRunning?.();
  await Promise.race([all, shutdownTimeout(running, deps, signal)]);
}

/** Rejects when controllers still run this long after the abort; 0: waits for ever. */
function shutdownTimeout(running: ReadonlySet<string>, deps: RunDeps, signal: AbortSignal): Promise<never> {
  const { clock, log, shutdownTimeoutMs } = deps;
  return new Promise((_, reject) => {
    const begin = (): void => {
      const reminderMs = shutdownTimeoutMs > 0 ? shutdownTimeoutMs / 3 : 5000;
      const remind = (): void => {
        if (running.size === 0) return;
        log.info("Still waiting for some controllers to terminate...", { runningControllers: [...running].sort() });
        clock.after(reminderMs, remind);
      };
      clock.after(reminderMs, remind);
      if (shutdownTimeoutMs <= 0) return;
      clock.after(shutdownTimeoutMs, () => {
        if (running.size === 0) return;
        const runningControllers = [...running].sort();
        log.info("Controller shutdown timeout reached", {
          timeout: `${shutdownTimeoutMs / 1000}s`,
          runningControllers,
        });
        reject(new ShutdownTimeout("controller shutdown timeout reached"));
      });
    };
    if (signal.aborted) begin();
    else signal.addEventListener("abort", begin, { once: true });
  });
}
