// Runs kube-controller-manager: serves, leads, runs the controllers, stops.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, Run.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { durationMs } from "#api/go-duration.ts";
import { goQuote } from "#api/go-text.ts";
import { AssertionFailed } from "#base/assert.ts";
import { isAborted } from "#base/errors.ts";
import type { Transport } from "#base/http.ts";
import { createClient } from "#client/create-client.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import { rateLimiterFor } from "#client/rate-limiter.ts";
import { EventBroadcaster } from "#kit/events/broadcaster.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import { eventSink } from "#kit/events/sink.ts";
import { createClientBuilders } from "#manager/clients/builders.ts";
import type { Command } from "#manager/command.ts";
import type { Elector } from "#manager/election/elector.ts";
import { fencedTransport } from "#manager/election/fence.ts";
import { LeaseLock } from "#manager/election/lease-lock.ts";
import { registerElectionMetrics } from "#manager/election/metrics.ts";
import { type LeaderTerm, leadAndRun } from "#manager/lead-and-run.ts";
import { registerLinkedMetrics } from "#manager/linked-metrics.ts";
import { registerVersionMetrics } from "#manager/metrics.ts";
import { lockProblem } from "#manager/options/leader-migration.ts";
import { type RegisteredController, registeredControllers, serviceAccountTokens } from "#manager/registry.ts";
import { type BuiltController, runControllers } from "#manager/run-controllers.ts";
import { mountDebugPages } from "#manager/serving/debug-pages.ts";
import { HealthPage } from "#manager/serving/healthz.ts";
import { HealthRecord } from "#manager/serving/slis.ts";
import { createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { compileAtWill } from "#platform/system/compile-pace.ts";
import { processStartSeconds, registerProcessMetrics } from "#platform/system/process-metrics.ts";
import { backgroundTimers } from "#platform/system/system-clock.ts";
import { systemHost } from "#platform/system/system-host.ts";
import { type Built, buildConfig, COMPONENT, platformText } from "./build-config.ts";
import { standAsCandidate } from "./candidate.ts";
import { flagTexts, type Logging, startLogging } from "./logging.ts";
import { runtimeVersion, serve } from "./pages.ts";

/** How long the election check stays healthy after a leader stopped renewing. */
const ELECTION_TOLERANCE_MS = 20_000;
/**
 * After the caches have synced, the controllers process all objects once. The start counts as complete after this time.
 */
const FIRST_WORK_MS = 5_000;
const RELEASE_GATE = "ControllerManagerReleaseLeaderElectionLockOnExit";
const COORDINATED_GATE = "CoordinatedLeaderElection";
/** Go programs ignore these signals; the runtimes end on them, and Node opens a debugger for the first. */
const IGNORED_SIGNALS = ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGIO", "SIGXCPU", "SIGXFSZ"] as const;

/** Ends the process. */
export async function runDaemon(
  command: Command,
  controllers: readonly RegisteredController[] = registeredControllers,
): Promise<never> {
  const logging = startLogging(command.options.logs);
  for (const [name, text] of flagTexts(command)) logging.plain(1, `FLAG: --${name}=${goQuote(text)}`);
  for (const name of IGNORED_SIGNALS) process.on(name, () => undefined);
  const stop = new AbortController();
  try {
    const built = await buildConfig(command, logging, stop.signal);
    if (command.gates.isEnabled(RELEASE_GATE)) stopOnSignals(stop, logging);
    await run(command, built, controllers, logging, stop.signal);
    return logging.exit(0);
  } catch (error) {
    if (isAborted(error, stop.signal)) return logging.exit(0);
    if (error instanceof AssertionFailed) return logging.panic(error.message);
    logging.log.error(error, "command failed");
    return logging.exit(1);
  }
}

/**
 * The first signal requests a graceful shutdown, the second ends the process. Without the gate the system's default
 * action applies.
 */
function stopOnSignals(stop: AbortController, logging: Logging): void {
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) logging.exit(1);
      stop.abort();
    });
  }
}

async function run(
  command: Command,
  built: Built,
  controllers: readonly RegisteredController[],
  logging: Logging,
  signal: AbortSignal,
): Promise<void> {
  const { environment, config, served, mainClient } = built;
  const { clock, rng, log, registry } = environment;
  const startSeconds = processStartSeconds();
  registerProcessMetrics(registry, startSeconds);
  registerVersionMetrics(
    registry,
    { gitVersion: command.version, runtimeVersion: runtimeVersion(), compiler: "bun", platform: platformText() },
    command.versions,
    command.gates,
  );
  registerLinkedMetrics(registry);
  log.info("Starting", { version: command.version });
  // Deviation: there are no Go settings; the runtime is logged instead.
  log.info("Runtime settings", { runtime: runtimeVersion() });

  const broadcaster = new EventBroadcaster({ clock, rng, log, sink: eventSink(mainClient) }, { logLevel: 0 });
  void broadcaster.run(signal);
  const election = config.Generic.LeaderElection;
  const watched: { elector?: Elector } = {};
  const healthRecord = new HealthRecord();
  const check = { name: "leaderElection", problem: () => watched.elector?.healthProblem(ELECTION_TOLERANCE_MS) };
  const health = new HealthPage(election.leaderElect ? [check] : [], log, healthRecord);
  const debugPages =
    served && serve(served, { command, config, environment, logging, health, healthRecord, startSeconds }, signal);

  const onBuilt = (all: readonly BuiltController[]): void => {
    health.add(...all.map(({ name }) => ({ name, problem: () => undefined })));
    if (debugPages !== undefined) mountDebugPages(all, debugPages);
  };
  const runTerm = await termRunner(command, built, controllers, onBuilt);
  if (!election.leaderElect) {
    await runTerm({ hasTokenController: true }, signal);
    return;
  }
  const identity = `${hostname()}_${randomUUID()}`;
  if (built.migration !== undefined) log.info("starting leader migration");
  if (command.gates.isEnabled(COORDINATED_GATE)) standAsCandidate(command, built, health, identity, signal);
  const recorder = broadcaster.recorder(COMPONENT);
  await leadAndRun(
    {
      clock,
      rng,
      log,
      metrics: registerElectionMetrics(registry),
      election,
      migration: built.migration,
      isReleasing: command.gates.isEnabled(RELEASE_GATE),
      isCoordinated: command.gates.isEnabled(COORDINATED_GATE),
      createLock: (name) => createLock(built, name, identity, recorder, logging),
      runTerm,
      onElection: (elector) => {
        watched.elector = elector;
      },
      exit: (code) => logging.exit(code),
    },
    signal,
  );
}

/**
 * Leases have a separate client whose requests do not queue behind others, so that other traffic cannot delay a
 * renewal.
 */
function createLock(
  { environment, builderOptions, transport, config, migration }: Built,
  name: string,
  identity: string,
  recorder: EventRecorder,
  logging: Logging,
): LeaseLock {
  const { resourceNamespace, renewDeadline } = config.Generic.LeaderElection;
  const problem = migration?.leaderName === name ? lockProblem(migration) : undefined;
  if (problem !== undefined) {
    logging.log.error(new Error(problem), "Error creating lock");
    logging.exit(1);
  }
  const { limits, userAgentPrefix, ...options } = builderOptions;
  const rateLimiter = rateLimiterFor(limits, environment.clock);
  const client = createClient({
    ...options,
    transport: { send: (request, signal) => transport.send({ ...request, urgent: true }, signal) },
    userAgent: `${userAgentPrefix}/leader-election`,
    timeoutMs: Math.max(1000, durationMs(renewDeadline) / 2),
    ...(rateLimiter ? { rateLimiter } : {}),
  });
  const leases = client.resource(Leases);
  return new LeaseLock({ leases, namespace: resourceNamespace, name, identity, recorder });
}

/** Runs the controllers of one term over transports that refuse writes once its lease is in doubt. */
async function termRunner(
  command: Command,
  { environment, config, clientConfig, transport, builderOptions }: Built,
  controllers: readonly RegisteredController[],
  onBuilt: (all: readonly BuiltController[]) => void,
): Promise<(term: LeaderTerm, signal: AbortSignal) => Promise<void>> {
  const { clock, rng, log, registry } = environment;
  const host = systemHost(clientConfig);
  const isSplit = config.KubeCloudShared.UseServiceAccountCredentials;
  const anonymous = isSplit
    ? await createTransport(withoutCredentials(clientConfig), { ...environment, metrics: registry })
    : undefined;
  return async (term, signal) => {
    const fence = (own: Transport): Transport => (term.lease ? fencedTransport(own, term.lease) : own);
    const builders = await createClientBuilders(
      fence(transport),
      anonymous && fence(anonymous),
      builderOptions,
      signal,
    );
    await runControllers(
      {
        clock,
        rng,
        log,
        metrics: registry,
        gates: command.gates,
        settings: { config, host },
        ...builders,
        controllers,
        shutdownTimeoutMs: durationMs(command.options.shutdownTimeout),
        ...(term.hasTokenController ? { serviceAccountTokens: announcing(term) } : {}),
        ...(term.isAssigned === undefined ? {} : { isAssigned: term.isAssigned }),
        onBuilt,
        onSynced: () => void backgroundTimers.after(FIRST_WORK_MS, compileAtWill),
      },
      signal,
    );
  };
}

/** The token controller, which reports when its run begins: leader migration waits for that. */
// Deviation: without a key upstream signals and then crashes on the missing controller; this program continues.
function announcing({ onTokenControllerRunning }: LeaderTerm): RegisteredController {
  if (onTokenControllerRunning === undefined) return serviceAccountTokens;
  return {
    ...serviceAccountTokens,
    async build(context, settings, signal) {
      const controller = await serviceAccountTokens.build(context, settings, signal);
      if (controller === undefined) {
        onTokenControllerRunning();
        return undefined;
      }
      return {
        run(signal) {
          onTokenControllerRunning();
          return controller.run(signal);
        },
      };
    },
  };
}

/** The configuration for the same server, without credentials. */
function withoutCredentials(config: ClientConfig): ClientConfig {
  const {
    clientCertificate: _1,
    clientCertificateData: _2,
    clientKey: _3,
    clientKeyData: _4,
    token: _5,
    tokenFile: _6,
    username: _7,
    password: _8,
    impersonate: _9,
    exec: _10,
    hasAuthProvider: _11,
    ...rest
  } = config;
  return rest;
}
