// Stage a: the embedded server under the virtual clock. The cast's controllers run, each under its own service account.
// No other controller runs.

import { featureGateTable } from "#api/feature-gate-table.ts";
import type { HttpRequest, Transport } from "#base/http.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { hostTurn } from "#base/testing.ts";
import { readCommandLine } from "#manager/command.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import type { ComponentConfig } from "#manager/options/config.ts";
import { authority } from "#platform/certificates/certificate-signing.ts";
import { keyReader } from "#platform/certificates/key-reader.ts";
import { systemKeys } from "#platform/system/system-keys.ts";
import { systemTimeZones } from "#platform/system/time-zones.ts";
import { type RunningManager, World } from "#sim/world.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { casts } from "./casts.ts";
import { auditEventOf } from "./embedded-audit.ts";
import { type Fault, faultyLine, type Line, Outage } from "./fault-lines.ts";
import { HeldWatches } from "./held-watches.ts";
import { openNamespace } from "./namespace.ts";
import type { Backend } from "./play.ts";
import { profiles } from "./profiles.ts";
import { identityOf, isAbout, isDirected, isEventWrite, isFinished, isForAccounts } from "./requests.ts";
import type { Scenario } from "./scenario.ts";
import { signingPair } from "./signing-pair.ts";
import { untilIn } from "./world-scene.ts";

const START_MS = 200;
const TAG = "play0000";
/** The user of the scenario. */
const ADMINISTRATOR = "admin";
/** Long enough for reflectors that were refused a few times to try again. */
const WATCHED_AGAIN_MS = 10_000;
/** Longer than the lag of watches and than a successor's start. */
const QUIET_WITH_FAULTS_MS = 6000;

export interface EmbeddedCluster {
  readonly backend: Backend;
  readonly world: World;
  /** Every request of every client. */
  allRequests(): readonly AuditEvent[];
  /** The manager's log, in klog's text format. */
  log(): string;
  stop(): Promise<void>;
}

export async function openEmbedded(scenario: Scenario, fault?: Fault): Promise<EmbeddedCluster> {
  const settings = profiles[scenario.profile];
  const own: AuditEvent[] = [];
  const all: AuditEvent[] = [];
  let hasBegun = false;
  const record = (event: AuditEvent): void => {
    all.push(event);
    if (!hasBegun) return;
    const isOfCast = isFinished(event) && identityOf(event) !== undefined;
    const isOfPlay = isAbout(event, TAG) || (scenario.alone === true && isDirected(event) && !isForAccounts(event));
    if (isOfCast && isOfPlay) own.push(event);
  };
  const world = new World({
    turn: hostTurn,
    gates: featureGateTable(),
    seed: scenario.name,
    ...(scenario.startsAt !== undefined && { startMs: Date.parse(scenario.startsAt) }),
    serverGates: settings.gates,
    runtimeConfig: Object.fromEntries(settings.extraVersions.map((version) => [version, "true"])),
    timeZones: systemTimeZones(),
    keys: { ...systemKeys, loadSigning: () => Promise.resolve({ authority }) },
    keyReader,
    audit: {
      record: (event) => {
        // While the scenario waits, it reads repeatedly.
        const isRead = event.request.method === "GET" && event.user.name === ADMINISTRATOR;
        if (!isRead) record(auditEventOf(event));
      },
    },
  });
  const { clock } = world;
  const { controllers } = casts[scenario.cast];
  const isSigning = controllers.includes("certificatesigningrequest-signing-controller");
  const { ca, key } = signingPair(clock.now(), isSigning ? "rsa" : "ec");
  world.host.write("ca.crt", ca);
  world.host.write("ca.key", key);
  let log = "";
  const write = (line: string): void => {
    log += line;
  };
  const logger = createLogger({ clock, format: "text", verbosity: new LogVerbosity(), write });
  let check: (() => Promise<void>) | undefined;
  const checked = (transport: Transport): Transport => ({
    async send(request, signal) {
      const response = await transport.send(request, signal);
      if (check !== undefined && request.method !== "GET" && response.status < 300) await check();
      return response;
    },
  });
  const held = new HeldWatches();
  const outage = new Outage();
  const isCounted = (request: HttpRequest): boolean => hasBegun && isDecisionRequest(request, scenario);
  const managers: RunningManager[] = [];
  const startManager = (line: Line | undefined): void => {
    const manager = world.startManager({
      controllers,
      config: configOf(scenario),
      gates: { ...settings.gates, ...settings.managerGates },
      rootCa: ca,
      log: withoutRepeats(logger, clock),
      useServiceAccountCredentials: true,
      network: (transport) => {
        const given = checked(transport);
        return outage.over(held.over(line === undefined ? given : line.over(given)));
      },
    });
    managers.push(manager);
  };
  // After a manager dies, the connection of its successor works.
  let line: Line | undefined;
  const onDeath = (): void => {
    line = undefined;
    startManager(line);
  };
  if (fault !== undefined) line = faultyLine({ fault, clock, isCounted, onDeath });
  startManager(line);
  const stopManagers = async (): Promise<void> => {
    const ended = managers.splice(0).map((manager) => manager.stop());
    await world.advance(1000);
    await Promise.all(ended);
  };
  await world.advance(START_MS);
  const until = untilIn(world, () => log);
  const run: Backend["run"] = (call) => world.do(call);
  const runs = (controller: string): boolean => controllers.includes(controller);
  await openNamespace(TAG, { run, until, runs });
  if (fault?.kind === "lag") await world.advance(2 * fault.ms);
  hasBegun = true;
  const backend: Backend = {
    tag: TAG,
    isCalm: fault === undefined,
    quietMsMin: fault === undefined ? 0 : QUIET_WITH_FAULTS_MS,
    run,
    runAs: (user) => (call) => world.do(call, world.clientOf(user)),
    peek: (call) => call(world.client, new AbortController().signal),
    runs,
    now: () => clock.now(),
    pass: (ms) => world.advance(ms),
    until,
    eventsWritten: () => all.filter(isEventWrite).length,
    requests: () => own.slice(),
    watch: (made) => {
      check = made;
    },
    serve: async (api) => world.apis.serve(api),
    hold: (resource) => held.hold(resource),
    release: (resource) => held.release(resource),
    outage: async (meanwhile) => {
      outage.begin();
      await meanwhile();
      outage.end();
      await world.advance(WATCHED_AGAIN_MS);
    },
    restart: async (meanwhile) => {
      await stopManagers();
      await meanwhile();
      startManager(line);
      await world.advance(START_MS);
    },
  };
  return {
    backend,
    world,
    allRequests: () => all,
    log: () => log,
    stop: async () => {
      await stopManagers();
      world.server.close();
    },
  };
}

const text = new TextDecoder();

/** Whether the request writes an object of the play, other than an Event or a Lease. */
function isDecisionRequest({ method, path, body }: HttpRequest, { alone }: Scenario): boolean {
  if (method === "GET" || /\/(events|leases)(\/|$)/.test(path)) return false;
  // The service accounts and tokens of controllers.
  if (/\/namespaces\/kube-system\/serviceaccounts/.test(path)) return false;
  return alone === true || path.includes(TAG) || (body?.kind === "bytes" && text.decode(body.bytes).includes(TAG));
}

const configs = new Map<string, ComponentConfig>();

function configOf(scenario: Scenario): ComponentConfig {
  const key = `${scenario.cast} ${scenario.profile}`;
  const known = configs.get(key) ?? readConfig(scenario);
  configs.set(key, known);
  return known;
}

function readConfig({ cast, profile }: Scenario): ComponentConfig {
  const flags = [...managerFlags, ...(casts[cast].flags ?? []), ...profiles[profile].managerFlags];
  const verdict = readCommandLine(flags, 0);
  if (verdict.kind !== "run") throw new Error(`settings of ${cast}, ${profile}: ${JSON.stringify(verdict)}`);
  return verdict.command.options.config;
}

/** As on a real control plane (test/real/arguments.ts). */
const managerFlags = [
  "--cluster-cidr=10.244.0.0/16",
  "--service-cluster-ip-range=10.0.0.0/24",
  "--cluster-signing-cert-file=ca.crt",
  "--cluster-signing-key-file=ca.key",
];
