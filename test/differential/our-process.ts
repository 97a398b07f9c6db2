// Our controllers as a program of their own, with the flags of the Go manager that matter to them:
// --kubeconfig, --controllers, --kube-api-qps, --kube-api-burst, --kube-api-content-type, --feature-gates,
// --secure-port, --tls-cert-file, --tls-private-key-file, --root-ca-file; all others are ignored.
// It stands in for the daemon where only the controllers are compared or measured.

import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { argv, stderr } from "node:process";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { noMetrics } from "#base/metrics.ts";
import { rootClientBuilder, serviceAccountClientBuilder } from "#manager/clients/client-builder.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { registeredControllers } from "#manager/registry.ts";
import { runControllers } from "#manager/run-controllers.ts";
import { startHttpsServer } from "#platform/https-server.ts";
import { loadClientConfig } from "#platform/kubeconfig.ts";
import { createTransport } from "#platform/kubeconfig-transport.ts";
import { systemClock } from "#platform/system-clock.ts";
import { systemRng } from "#platform/system-rng.ts";

/** The last one wins, as on any command line. */
function flag(name: string, fallback = ""): string {
  const start = `--${name}=`;
  return argv.findLast((argument) => argument.startsWith(start))?.slice(start.length) ?? fallback;
}

const clock = systemClock;
const log = createLogger({
  clock,
  format: "text",
  verbosity: new LogVerbosity(Number(flag("v", "0")), []),
  pid: process.pid,
  write: (line) => void stderr.write(line),
});
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());

const config = await loadClientConfig({ path: flag("kubeconfig") });
const transport = await createTransport(config, { clock, log });
const { server: apiServer, certificateAuthorityData = "", namespace } = config;
const anonymous = await createTransport({ server: apiServer, certificateAuthorityData, namespace }, { clock, log });
const usesProtobuf = flag("kube-api-content-type").includes("protobuf");
const builderOptions = {
  clock,
  limits: { qps: Number(flag("kube-api-qps", "20")), burst: Number(flag("kube-api-burst", "30")) },
  userAgentPrefix: "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/steersman",
  log,
  ...(usesProtobuf ? { protobuf: (await import("#client/protobuf.ts")).protobufCodec } : {}),
};
const rootClients = rootClientBuilder(transport, builderOptions);
const root = await rootClients.client("kube-controller-manager", {}, stop.signal);
const gates = new FeatureGates(featureGateTable(), "1.36");
gates.setFromMap(
  Object.fromEntries(
    flag("feature-gates")
      .split(",")
      .filter((pair) => pair !== "")
      .map((pair) => pair.split("="))
      .map(([name = "", value]) => [name, value === "true"]),
  ),
);

let isRunning = false;
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
/** What the event loop was late by since the last call, in milliseconds. */
function loopDelay(): string {
  const ms = (nanoseconds: number): number => nanoseconds / 1e6;
  const answer = { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), max: ms(delays.max) };
  delays.reset();
  return JSON.stringify(answer);
}
const text = (status: number, body: string) => ({
  status,
  headers: { "content-type": "text/plain" },
  body: { kind: "bytes" as const, bytes: new TextEncoder().encode(body) },
});
const server = await startHttpsServer({
  host: "127.0.0.1",
  port: Number(flag("secure-port", "0")),
  tls: { cert: readFileSync(flag("tls-cert-file"), "utf8"), key: readFileSync(flag("tls-private-key-file"), "utf8") },
  handle: async ({ path }) => {
    if (path === "/debug/loop-delay") return text(200, loopDelay());
    return isRunning ? text(200, "ok") : text(500, "starting");
  },
  onError: (error) => log.error(error, "request failed"),
});

await runControllers(
  {
    clock,
    rng: systemRng(),
    log,
    metrics: noMetrics,
    gates,
    settings: {
      config: {
        ...defaultConfig,
        Generic: { ...defaultConfig.Generic, Controllers: flag("controllers", "*").split(",") },
      },
      rootCa: readFileSync(flag("root-ca-file"), "utf8"),
    },
    rootClients,
    controllerClients: serviceAccountClientBuilder(root, anonymous, builderOptions),
    controllers: registeredControllers,
    shutdownTimeoutMs: 10_000,
    onRunning: () => {
      isRunning = true;
    },
  },
  stop.signal,
);
await server.close();
transport.close();
anonymous.close();
process.exit(0);
