// Builds the pages of the daemon's port.

import { gzipSync } from "node:zlib";
import type { Command } from "#manager/command.ts";
import { versionText } from "#manager/options/component-versions.ts";
import type { ComponentConfig } from "#manager/options/config.ts";
import { createAuthenticator } from "#manager/serving/authentication.ts";
import { buildChain } from "#manager/serving/chain.ts";
import { configzText } from "#manager/serving/configz.ts";
import type { HealthPage } from "#manager/serving/healthz.ts";
import { createPages, listedPaths } from "#manager/serving/pages.ts";
import type { Handler } from "#manager/serving/request.ts";
import type { HealthRecord } from "#manager/serving/slis.ts";
import { flagzPage, statuszPage } from "#manager/serving/zpages.ts";
import type { Served } from "./build-config.ts";
import type { HostEnvironment } from "./host-environment.ts";
import { flagTexts, type Logging } from "./logging.ts";

export interface ServeDeps {
  readonly command: Command;
  readonly config: ComponentConfig;
  readonly environment: HostEnvironment;
  readonly logging: Logging;
  readonly health: HealthPage;
  readonly healthRecord: HealthRecord;
  readonly startSeconds: number;
}

/** Controllers can add handlers, by path, while the port is open. */
export function serve(
  { port, delegation, metrics }: Served,
  deps: ServeDeps,
  signal: AbortSignal,
): Map<string, Handler> {
  const { environment, logging } = deps;
  const { clock, log } = environment;
  const { gates } = deps.command;
  const readsCertificateUid = gates.isEnabled("AllowParsingUserUIDFromCertAuth");
  const debug = new Map<string, Handler>();
  const handler = buildChain({
    clock,
    log,
    metrics,
    authenticate: createAuthenticator({ ...delegation.sources, readsCertificateUid }, metrics, clock),
    authorize: delegation.authorize,
    page: createPages(pagesOf(deps, logging), debug),
    limitsAnonymousHttp2: gates.isEnabled("UnauthenticatedHTTP2DOSMitigation"),
  });
  port.serve(handler);
  port.watch(delegation.files, (apply) => delegation.reload(apply));
  delegation.follow((clientCas) => port.update(clientCas), signal);
  signal.addEventListener("abort", () => void port.close(), { once: true });
  return debug;
}

function pagesOf(deps: ServeDeps, logging: Logging): Parameters<typeof createPages>[0] {
  const { command, config, environment, health, healthRecord, startSeconds } = deps;
  const { clock, rng, log, registry } = environment;
  const flags = flagTexts(command);
  const hasFlagz = command.gates.isEnabled("ComponentFlagz");
  const status = {
    clock,
    startedAtMs: startSeconds * 1000,
    runtimeVersion: runtimeVersion(),
    binaryVersion: command.version.replace(/^v/, ""),
    emulationVersion: versionText(command.versions.emulation),
    paths: listedPaths(hasFlagz),
  };
  return {
    health,
    healthRecord,
    configz: configzText(config),
    renderMetrics: () => registry.render(),
    metricsFormat: { processStartSeconds: startSeconds, gzip: (bytes) => gzipSync(bytes) },
    verbosity: logging.verbosity,
    isProfiling: config.Generic.Debugging.enableProfiling,
    flagz: hasFlagz ? flagzPage(() => flags, rng, log) : undefined,
    statusz: command.gates.isEnabled("ComponentStatusz") ? statuszPage(status, rng, log) : undefined,
  };
}

/** "bun1.4.4" or "node26.10.0", where the original says "go1.26". */
export function runtimeVersion(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `node${node}` : `bun${bun}`;
}
