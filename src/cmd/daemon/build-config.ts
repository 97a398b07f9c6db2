// Builds the program's parts from the options, in upstream's order: validation, certificate, kubeconfig, client, leader
// migration, socket, authentication. Any error is an error of the command, with exit code 1.
// Upstream: cmd/kube-controller-manager/app/options/options.go, Config, ApplyTo.

import { basename } from "node:path";
import { aggregateText } from "#api/field-error.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import type { Client } from "#client/client.ts";
import { PROTOBUF_TYPE } from "#client/codec.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import { type BuilderOptions, rootClientBuilder } from "#manager/clients/client-builder.ts";
import type { Command } from "#manager/command.ts";
import { appliedConfig } from "#manager/options/applied-config.ts";
import { alphaWarnings, validateVersions } from "#manager/options/component-versions.ts";
import type { ComponentConfig, LeaderMigrationConfig } from "#manager/options/config.ts";
import { type Manifest, registryOptions } from "#manager/options/metrics-options.ts";
import { cloudAdvice, servingWarnings, validateOptions } from "#manager/options/validate.ts";
import { type AuthMetrics, registerAuthMetrics } from "#manager/serving/auth-metrics.ts";
import { loadClientConfig } from "#platform/kubeconfig/kubeconfig.ts";
import { type ConfiguredTransport, createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemRng } from "#platform/system/system-rng.ts";
import { type Delegation, delegate } from "./authentication.ts";
import { readManifest, readMigration } from "./files.ts";
import type { HostEnvironment } from "./host-environment.ts";
import type { Logging } from "./logging.ts";
import { openPort, type Port, prepareCertificate } from "./serving.ts";

export const COMPONENT = "kube-controller-manager";

/** The open port, with its authentication. */
export interface Served {
  readonly port: Port;
  readonly delegation: Delegation;
  readonly metrics: AuthMetrics;
}

export interface Built {
  readonly environment: HostEnvironment;
  readonly config: ComponentConfig;
  readonly migration: LeaderMigrationConfig | undefined;
  readonly clientConfig: ClientConfig;
  readonly transport: ConfiguredTransport;
  readonly builderOptions: BuilderOptions;
  /** For events and other requests that belong to no controller. */
  readonly mainClient: Client;
  /** Undefined with --secure-port=0. */
  readonly served: Served | undefined;
}

export async function buildConfig(command: Command, logging: Logging, signal: AbortSignal): Promise<Built> {
  const { options } = command;
  const manifest = await readManifest(options);
  for (const warning of [...alphaWarnings(command.gates), ...servingWarnings(options)]) logging.warn(warning);
  const cloud = cloudAdvice(options);
  if (cloud !== undefined) {
    logging.plain(0, cloud.info);
    logging.warn(cloud.warning);
  }
  checkOptions(command, manifest);
  const certificate = await prepareCertificate(options, systemClock.now(), logging);
  const { log } = logging;
  const { kubeconfig, contentType, qps, burst } = options.config.Generic.ClientConnection;
  const clientConfig = await loadClientConfig({ path: kubeconfig, server: options.master, warn: logging.warn });
  const environment = hostEnvironment(command, logging, manifest);
  const transport = await createTransport(clientConfig, { ...environment, metrics: environment.registry });
  const builderOptions: BuilderOptions = {
    clock: environment.clock,
    log,
    metrics: environment.registry,
    host: transport.host,
    limits: { qps, burst },
    userAgentPrefix: environment.userAgentPrefix,
    ...(await protobufIfAskedFor(command, contentType)),
  };
  const mainClient = await rootClientBuilder(transport, builderOptions).client(COMPONENT, {}, signal);
  const migration = await readMigration(options);
  let served: Served | undefined;
  if (certificate !== undefined) {
    const port = await openPort(options, certificate, logging);
    const metrics = registerAuthMetrics(environment.registry);
    const delegation = await delegate(options, environment, metrics, signal);
    port.update(delegation.clientCas());
    served = { port, delegation, metrics };
  }
  const config = appliedConfig(options.config, migration);
  return { environment, config, migration, clientConfig, transport, builderOptions, mainClient, served };
}

// Deviation: the configuration has upstream's default, but protobuf is used only if the flag is given (docs/adr, "JSON
// unless protobuf is asked for").
async function protobufIfAskedFor({ flags }: Command, contentType: string): Promise<Pick<BuilderOptions, "protobuf">> {
  if (contentType !== PROTOBUF_TYPE || !flags.changed.has("kube-api-content-type")) return {};
  return { protobuf: (await import("#client/protobuf.ts")).protobufCodec };
}

/** Reports all problems at once. */
function checkOptions({ options, versions, gates }: Command, manifest: Manifest | undefined): void {
  const problems = [...validateVersions(versions), ...validateOptions(options, gates, manifest)];
  if (problems.length > 0) throw new Error(aggregateText(problems));
}

function hostEnvironment(
  { options, version, gates }: Command,
  { log, warn }: Logging,
  manifest: Manifest | undefined,
): HostEnvironment {
  const registry = new MetricRegistry(registryOptions(options.metrics, manifest));
  const keepsCa = !gates.isEnabled("ClientsAllowCARotation");
  return {
    clock: systemClock,
    rng: systemRng(),
    log,
    warn,
    registry,
    keepsCa,
    userAgentPrefix: userAgentPrefix(version),
  };
}

/** Like client-go's: the program's name, its version, the platform and the commit, which is unknown here. */
function userAgentPrefix(version: string): string {
  return `${programName()}/${version} (${platformText()}) kubernetes/unknown`;
}

function programName(): string {
  const script = process.argv[1] ?? COMPONENT;
  return basename(script).replace(/\.(?:ts|mjs|js)$/, "") || COMPONENT;
}

/** "linux/amd64". */
export function platformText(): string {
  return `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
}
