import { describe, expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { SECOND } from "#api/go-duration.ts";
import { whenAborted } from "#base/abort.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import { noLog } from "#base/log.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { bareHost, testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { jsonResponse, type Responder, scriptedTransport, textResponse } from "#client/testing.ts";
import { type ClientBuilder, rootClientBuilder } from "./clients/client-builder.ts";
import { defaultConfig } from "./options/config.ts";
import type { RegisteredController } from "./registry.ts";
import { type RunDeps, runControllers } from "./run-controllers.ts";
import { mountDebugPages } from "./serving/debug-pages.ts";
import { HealthPage } from "./serving/healthz.ts";
import { createPages } from "./serving/pages.ts";
import type { Handler } from "./serving/request.ts";
import { HealthRecord } from "./serving/slis.ts";

interface World {
  readonly clock: VirtualClock;
  readonly lines: string[];
  readonly stop: AbortController;
  readonly ended: Promise<string>;
  readonly paths: () => string[];
}

/** Runs the controllers against a healthy server without objects. */
function start(more: Partial<RunDeps>, healthz: Responder = () => textResponse("ok", 200)): World {
  const clock = testClock();
  const lines: string[] = [];
  const log: Logger = {
    ...noLog,
    info: (message, values) => void lines.push(`${message} ${Object.values(values ?? {}).join()}`),
    error: (error, message) => void lines.push(`${message}: ${String(error)}`),
    v: () => log,
    with: () => log,
    named: () => log,
  };
  const transport = scriptedTransport((request, signal) =>
    request.path === "/healthz" ? healthz(request, signal) : jsonResponse({}, 404),
  );
  const clients = rootClientBuilder(transport, { clock, limits: { qps: -1, burst: 0 }, userAgentPrefix: "test" });
  const stop = new AbortController();
  const ended = runControllers(
    {
      clock,
      rng: seededRng("run"),
      log,
      metrics: noMetrics,
      gates: new FeatureGates(featureGateTable(), "1.36"),
      settings: { config: defaultConfig, host: bareHost },
      rootClients: clients,
      controllerClients: clients,
      controllers: [],
      shutdownTimeoutMs: 10_000,
      ...more,
    },
    stop.signal,
  ).then(
    () => "ended",
    (error: unknown) => String(error),
  );
  return { clock, lines, stop, ended, paths: () => transport.requests.map(({ path }) => path) };
}

function controller(
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
  featureGates: readonly string[] = [],
): RegisteredController {
  return { name, featureGates, build: async () => ({ run }) };
}
const interval = (seconds: bigint): Pick<RunDeps, "settings"> => ({
  settings: {
    host: bareHost,
    config: { ...defaultConfig, Generic: { ...defaultConfig.Generic, ControllerStartInterval: seconds * SECOND } },
  },
});

describe("running the controllers", () => {
  it("builds several at once, and runs them in the order of the registry", async () => {
    let building = 0;
    let most = 0;
    const ran: string[] = [];
    const slow = (name: string, ticks: number): RegisteredController => ({
      name,
      featureGates: [],
      async build() {
        most = Math.max(most, ++building);
        for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
        building--;
        return {
          async run(signal) {
            ran.push(name);
            await whenAborted(signal);
          },
        };
      },
    });
    const names = Array.from({ length: 20 }, (_, number) => `controller-${number}`);
    const { clock, stop, ended } = start({ controllers: names.map((name, number) => slow(name, 20 - number)) });
    await clock.advance(1_000);
    expect([most, ran]).toEqual([6, names]);
    stop.abort();
    expect(await ended).toBe("ended");
  });

  it("begins no further build after one has failed", async () => {
    const begun: string[] = [];
    const failing = (name: string): RegisteredController => ({
      name,
      featureGates: [],
      async build() {
        begun.push(name);
        throw new Error(`${name} cannot be built`);
      },
    });
    const names = Array.from({ length: 20 }, (_, number) => `controller-${number}`);
    const { clock, ended } = start({ controllers: names.map(failing) });
    await clock.advance(1_000);
    expect([await ended, begun]).toEqual(["Error: controller-0 cannot be built", names.slice(0, 6)]);
  });

  it("machinery/1.2.8 waits for the API server, asking every second, and gives up after ten", async () => {
    const { clock, ended, paths, lines } = start({}, () => textResponse("no", 500));
    await clock.advance(60_000);
    expect(await ended).toMatch(/^Error: failed to wait for apiserver being healthy: /);
    expect(paths()).toHaveLength(12);
    expect(lines.join("\n")).toContain("Error building controller context");
  });

  it("machinery/1.2.8 takes nothing but 200 for health, and quotes what the server says instead", async () => {
    const { clock, ended, lines } = start({}, () => textResponse("starting", 202));
    await clock.advance(60_000);
    expect(await ended).toBe(
      "Error: failed to wait for apiserver being healthy: timed out waiting for the condition: APIServer isn't healthy: starting",
    );
    const warnings = lines.filter((line) => line.startsWith("APIServer isn't healthy yet: starting. Waiting a little"));
    expect(warnings).toHaveLength(12);
  });

  it("machinery/1.2.12 shows what a controller answers below a path of its own, which is cut off", async () => {
    const asked: string[] = [];
    const debuggable: RegisteredController = {
      name: "garbage-collector-controller",
      featureGates: [],
      build: async () => ({
        run: whenAborted,
        debug: ({ path, query }) => {
          asked.push(`${path}?${query}`);
          return { status: 200, headers: {}, body: { kind: "bytes", bytes: new Uint8Array() } };
        },
      }),
    };
    const debug = new Map<string, Handler>();
    const { clock, stop } = start({
      controllers: [controller("job-controller", whenAborted), debuggable],
      onBuilt: (built) => mountDebugPages(built, debug),
    });
    await clock.settle();
    const pages = createPages(
      {
        health: new HealthPage([], noLog, new HealthRecord()),
        healthRecord: new HealthRecord(),
        configz: "",
        renderMetrics: () => "",
        metricsFormat: { processStartSeconds: 0, gzip: (bytes) => bytes },
        verbosity: new LogVerbosity(),
        isProfiling: false,
      },
      debug,
    );
    const statusOf = async (path: string, query = ""): Promise<number> => {
      const request = { method: "GET", path, uri: path, query, headers: {}, peer: { address: "" } };
      return (await pages(request, stop.signal)).status;
    };
    const base = "/debug/controllers/garbage-collector-controller";
    expect(await statusOf(base)).toBe(200);
    expect(await statusOf(`${base}/graph`, "uid=1&uid=2")).toBe(200);
    expect(asked).toEqual(["?", "/graph?uid=1&uid=2"]);
    for (const path of [`${base}s`, "/debug/controllers/job-controller", "/debug/controllers"]) {
      expect(await statusOf(path)).toBe(404);
    }
    stop.abort();
  });

  it("machinery/1.2.9, core/5 builds the token controller first, whatever is selected, and skips what is not built", async () => {
    const order: string[] = [];
    const noted = (name: string): RegisteredController => ({
      name,
      featureGates: [],
      build: async () => {
        order.push(name);
        return undefined;
      },
    });
    const built: string[] = [];
    const { clock, stop, lines } = start({
      controllers: [noted("replicaset-controller"), noted("job-controller")],
      serviceAccountTokens: noted("serviceaccount-token-controller"),
      settings: {
        host: bareHost,
        config: { ...defaultConfig, Generic: { ...defaultConfig.Generic, Controllers: ["job-controller"] } },
      },
      onBuilt: (all) => built.push(...all.map(({ name }) => name)),
    });
    await clock.settle();
    expect(order).toEqual(["serviceaccount-token-controller", "job-controller"]);
    expect(built).toEqual([]);
    expect(lines).toContain("Warning: controller is disabled replicaset-controller");
    expect(lines).toContain("Warning: skipping controller job-controller");
    stop.abort();
  });

  it("machinery/1.2.10, machinery/1.5.4 says what keeps a controller off: the selection before its gate, its gate before the missing cloud", async () => {
    const off = (name: string, config = defaultConfig): Promise<string[]> => {
      const { clock, stop, lines } = start({
        controllers: [controller("podgroup-protection-controller", whenAborted, ["GenericWorkload"])],
        settings: { host: bareHost, config },
      });
      return clock.settle().then(() => {
        stop.abort();
        return lines.filter((line) => line.includes(name));
      });
    };
    const none = { ...defaultConfig, Generic: { ...defaultConfig.Generic, Controllers: ["-job-controller"] } };
    expect(await off("podgroup-protection")).toEqual([
      "Controller is disabled by a feature gate podgroup-protection-controller,GenericWorkload",
    ]);
    expect(await off("podgroup-protection", none)).toEqual([
      "Warning: controller is disabled podgroup-protection-controller",
    ]);
    expect(await off("node-route-controller")).toEqual([
      "Skipping a cloud provider controller node-route-controller",
      "Warning: skipping controller node-route-controller",
    ]);
    expect(await off("node-route-controller", none)).toEqual(["Warning: controller is disabled node-route-controller"]);
    expect(await off("serviceaccount-token-controller")).toEqual([]);
    const named = ["podgroup-protection-controller", "node-route-controller"];
    const both = { ...defaultConfig, Generic: { ...defaultConfig.Generic, Controllers: named } };
    for (const name of named) expect(await off(name, both)).toEqual(await off(name));
  });

  it("machinery/1.2.9, core/5 ends with the error of a controller that cannot be built", async () => {
    const broken: RegisteredController = {
      name: "job-controller",
      featureGates: [],
      build: () => Promise.reject(new Error("no key")),
    };
    const { clock, ended, lines } = start({ controllers: [broken] });
    await clock.settle();
    expect(await ended).toBe("Error: no key");
    expect(lines).toContain("Error initializing a controller: Error: no key");
  });

  it("machinery/1.2.9 names the account whose client cannot be had", async () => {
    const refusing: ClientBuilder = { client: () => Promise.reject(new Error("serviceaccounts is forbidden")) };
    const asking: RegisteredController = {
      name: "job-controller",
      featureGates: [],
      build: async (context) => {
        await context.client("job-controller");
        return undefined;
      },
    };
    const { clock, ended } = start({ controllers: [asking], controllerClients: refusing });
    await clock.settle();
    expect(await ended).toContain(
      'failed to create Kubernetes client for "job-controller": serviceaccounts is forbidden',
    );
  });

  it("machinery/1.2.13, machinery/1.7.r9, core/6 starts all at the same time, or each after once to twice the interval", async () => {
    const begun = async (settings: Partial<RunDeps>): Promise<number[]> => {
      const times: number[] = [];
      const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
      const world = start({
        controllers: names.map((name) =>
          controller(name, async (signal) => {
            times.push(world.clock.monotonicMs());
            await whenAborted(signal);
          }),
        ),
        ...settings,
      });
      const zero = world.clock.monotonicMs();
      await world.clock.advance(100_000);
      world.stop.abort();
      return times.map((time) => time - zero);
    };
    expect(new Set(await begun({}))).toEqual(new Set([0]));
    const spread = await begun(interval(10n));
    expect(spread).toHaveLength(20);
    expect(Math.min(...spread)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...spread)).toBeLessThan(20_000);
    expect(new Set(spread).size).toBeGreaterThan(15);
  });

  it("machinery/1.2.14 goes on when one controller ends, and ends when all have", async () => {
    const { clock, stop, ended, lines } = start({
      controllers: [controller("a", async () => undefined), controller("b", whenAborted)],
    });
    await clock.advance(1_000);
    expect(lines).not.toContain("All controllers terminated ");
    stop.abort();
    await clock.settle();
    expect(await ended).toBe("ended");
    expect(lines).toContain("All controllers terminated ");
  });

  it("names the controller whose failure ends the program", async () => {
    const failing = controller("resourcequota-controller", () => Promise.reject(new Error("nothing discovered")));
    const { clock, ended, lines } = start({ controllers: [failing, controller("b", whenAborted)] });
    await clock.settle();
    expect(await ended).toBe("Error: nothing discovered");
    expect(lines).toContain("Controller failed: Error: nothing discovered");
  });

  it("machinery/1.3.5, machinery/1.7.r31 reminds of those that still run every third of the timeout, then gives up", async () => {
    const { clock, stop, ended, lines } = start({
      controllers: [controller("stuck", () => new Promise(() => undefined))],
    });
    await clock.settle();
    stop.abort();
    await clock.advance(10_001);
    expect(lines.filter((line) => line === "Still waiting for some controllers to terminate... stuck")).toHaveLength(3);
    expect(await ended).toBe("ShutdownTimeout: controller shutdown timeout reached");
  });
});
