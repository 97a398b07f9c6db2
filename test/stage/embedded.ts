// Stage a: the embedded server under the virtual clock. The written controllers of the cast run, each under its own
// service account; nobody does the work of the others.

import { featureGateTable } from "#api/feature-gate-table.ts";
import type { Transport } from "#base/http.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { hostTurn } from "#base/testing.ts";
import { readCommandLine } from "#manager/command.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import type { ComponentConfig } from "#manager/options/config.ts";
import { type RunningManager, World } from "#sim/world.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { casts } from "./casts.ts";
import { auditEventOf } from "./embedded-audit.ts";
import { membersOf } from "./identities.ts";
import { openNamespace } from "./namespace.ts";
import type { Backend } from "./play.ts";
import { profiles } from "./profiles.ts";
import { identityOf, isAbout, isFinished } from "./requests.ts";
import type { Scenario } from "./scenario.ts";

/** Virtual: longer than any back-off. */
const PATIENCE_MS = 300_000;
const LOOK_MS = 100;
const START_MS = 200;
const LAST_WORDS = 3000;
/** Published and copied, never read: any PEM will do. */
const ROOT_CA = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const TAG = "play0000";

export interface EmbeddedCluster {
  readonly backend: Backend;
  readonly world: World;
  /** Every finished request of the cast, whatever it is about. */
  allRequests(): readonly AuditEvent[];
  /** What the manager has logged, in klog's text format. */
  log(): string;
  stop(): Promise<void>;
}

export async function openEmbedded(scenario: Scenario): Promise<EmbeddedCluster> {
  const settings = profiles[scenario.profile];
  const audited: AuditEvent[] = [];
  const world = new World({
    turn: hostTurn,
    gates: featureGateTable(),
    seed: scenario.name,
    serverGates: settings.gates,
    extraVersions: settings.extraVersions,
    audit: { record: (event) => void audited.push(auditEventOf(event)) },
  });
  let log = "";
  const write = (line: string): void => {
    log += line;
  };
  const logger = createLogger({ clock: world.clock, format: "text", verbosity: new LogVerbosity(), write });
  const { written: controllers } = membersOf(scenario.cast);
  let check: (() => Promise<void>) | undefined;
  const checked = (transport: Transport): Transport => ({
    async send(request, signal) {
      const response = await transport.send(request, signal);
      if (check !== undefined && request.method !== "GET" && response.status < 300) await check();
      return response;
    },
  });
  const manager: RunningManager = world.startManager({
    controllers,
    config: configOf(scenario),
    gates: settings.gates,
    rootCa: ROOT_CA,
    log: withoutRepeats(logger, world.clock),
    useServiceAccountCredentials: true,
    network: checked,
  });
  await world.advance(START_MS);
  const allRequests = (): readonly AuditEvent[] =>
    audited.filter((event) => isFinished(event) && identityOf(event) !== undefined);
  const until: Backend["until"] = async (what, probe) => {
    const endMs = world.clock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      if (world.clock.monotonicMs() >= endMs) {
        throw new Error(`not within ${PATIENCE_MS} virtual ms: ${what}\nThe manager's log:\n${log.slice(-LAST_WORDS)}`);
      }
      await world.advance(LOOK_MS);
    }
  };
  const run: Backend["run"] = (call) => world.do(call);
  const runs = (controller: string): boolean => controllers.includes(controller);
  await openNamespace(TAG, { run, until, runs });
  const before = audited.length;
  const backend: Backend = {
    tag: TAG,
    isCalm: true,
    run,
    peek: (call) => call(world.client, new AbortController().signal),
    runs,
    now: () => world.clock.now(),
    pass: (ms) => world.advance(ms),
    until,
    requests: () =>
      audited
        .slice(before)
        .filter(
          (event) => isFinished(event) && identityOf(event) !== undefined && (scenario.alone || isAbout(event, TAG)),
        ),
    watch: (made) => {
      check = made;
    },
    serve: () => Promise.reject(new Error("the embedded server serves no aggregated API yet")),
  };
  return {
    backend,
    world,
    allRequests,
    log: () => log,
    stop: async () => {
      const ended = manager.stop();
      await world.advance(1000);
      await ended;
      world.server.close();
    },
  };
}

function configOf({ cast, profile }: Scenario): ComponentConfig {
  const flags = [...managerFlags, ...(casts[cast].flags ?? []), ...profiles[profile].managerFlags];
  const verdict = readCommandLine(flags, 0);
  if (verdict.kind !== "run") throw new Error(`settings of ${cast}, ${profile}: ${JSON.stringify(verdict)}`);
  return verdict.command.options.config;
}

/** As on a real control plane (test/real/arguments.ts). */
const managerFlags = ["--cluster-cidr=10.244.0.0/16", "--service-cluster-ip-range=10.0.0.0/24"];
