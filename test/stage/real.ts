// Stages c and d: a real control plane. On d Go's manager runs the cast, on c ours does, each controller under its own
// service account. The manager under comparison talks through a proxy, which adds patch types to the audit log and can
// hold watches back.

import { join } from "node:path";
import type { Transport } from "#base/http.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { type AuditFollower, followAuditLog } from "./audit-follower.ts";
import { type Cast, casts } from "./casts.ts";
import { openNamespace } from "./namespace.ts";
import type { Backend, Play } from "./play.ts";
import { type Profile, profiles } from "./profiles.ts";
import { type RealApis, realApis } from "./real-apis.ts";
import { MANAGER_USER } from "./requests.ts";
import type { StageUser } from "./stage.ts";
import { cameThroughProxy, startWatchingProxy, type WatchingProxy } from "./watching-proxy.ts";

const PATIENCE_MS = 60_000;
const LOOK_MS = 50;
/** The interval of `always` checks. */
const WATCH_MS = 200;
const OPENING_MS = 400;
const STARTING_MS = 1200;
const LAST_WORDS = 3000;
const ourProgram = join(import.meta.dirname, "..", "..", "src", "cmd", "kube-controller-manager.ts");
const commonFlags = ["--kube-api-qps=1000", "--kube-api-burst=2000"];

export interface RealClusterOptions {
  readonly cast: Cast;
  readonly profile: Profile;
  /** The program that runs the cast's controllers. */
  readonly manager: "go" | "ours";
}

export interface RealCluster {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly follower: AuditFollower;
  readonly proxy: WatchingProxy;
  /** Opens a namespace for one play. */
  open(): Promise<OpenPlay>;
  stop(): Promise<void>;
}

export interface OpenPlay {
  readonly backend: Backend;
  /** Deletes everything that the controllers would continue to work on. */
  close(play: Play): Promise<void>;
}

function gateFlagsOf(gates: Readonly<Record<string, boolean>> = {}): readonly string[] {
  const texts = Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`);
  return texts.length > 0 ? [`--feature-gates=${texts.join(",")}`] : [];
}

export async function startRealCluster({ cast, profile, manager }: RealClusterOptions): Promise<RealCluster> {
  const settings = profiles[profile];
  const gateFlags = gateFlagsOf(settings.gates);
  const served = settings.extraVersions.map((version) => `${version}=true`);
  const plane = await startControlPlane({
    apiServerFlags: [
      ...gateFlags,
      ...(served.length > 0 ? [`--runtime-config=${served.join(",")}`] : []),
      ...(settings.apiServerFlags ?? []),
    ],
  });
  try {
    const { controllers, flags = [] } = casts[cast];
    const proxy = await startWatchingProxy(plane);
    const kubeconfig = plane.kubeconfigFor({ user: MANAGER_USER }, proxy.server);
    const common = [
      ...commonFlags,
      ...flags,
      ...settings.managerFlags,
      ...gateFlags,
      ...gateFlagsOf(settings.managerGates),
    ];
    const optionsFor = (chosen: readonly string[], more: readonly string[]) => ({
      controllers: chosen,
      flags: [...common, ...more, ...(chosen.includes(TOKENS) ? [] : ["--service-account-private-key-file="])],
    });
    const watched = [`--kubeconfig=${kubeconfig}`];
    const managers: RunningManager[] = [];
    const startManagers = async (): Promise<void> => {
      if (manager === "go") managers.push(await plane.startGoManager(optionsFor(controllers, watched)));
      if (manager === "ours") {
        managers.push(await plane.startManager([process.execPath, ourProgram], optionsFor(controllers, watched)));
      }
    };
    await startManagers();
    const transport = await adminTransport(plane);
    const client = scenarioClient(transport);
    const follower = followAuditLog(
      join(plane.directory, "audit.log"),
      (event) => event.user.username !== MANAGER_USER || cameThroughProxy(event.auditID),
    );
    // A manager that reports healthy is still starting controllers and filling caches.
    const untilStarted = (): Promise<number> => untilQuiet(() => follower.restCount(), STARTING_MS);
    await untilStarted();
    const restart: Backend["restart"] = async (meanwhile) => {
      await Promise.all(managers.splice(0).map((running) => running.stop()));
      await meanwhile();
      await startManagers();
      await untilStarted();
    };
    const cluster = {
      transport,
      restart,
      client,
      follower,
      proxy,
      managers,
      controllers,
      apis: realApis(plane, client),
    };
    let opened = 0;
    return {
      plane,
      client,
      follower,
      proxy,
      open: () => openPlay(cluster, `play${String(++opened).padStart(4, "0")}`),
      stop: () => plane.stop(),
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

const TOKENS = "serviceaccount-token-controller";

interface Parts {
  readonly client: Client;
  readonly transport: Transport;
  readonly follower: AuditFollower;
  readonly proxy: WatchingProxy;
  readonly apis: RealApis;
  readonly managers: readonly RunningManager[];
  readonly controllers: readonly string[];
  readonly restart: Backend["restart"];
}

async function openPlay(parts: Parts, tag: string): Promise<OpenPlay> {
  const { client, transport, follower, proxy, apis, managers, controllers, restart } = parts;
  const ended = new AbortController();
  const run: Backend["run"] = (call) => call(client, ended.signal);
  const until: Backend["until"] = async (what, probe) => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      const log = managers.map((manager) => manager.log().slice(-LAST_WORDS)).join("\n");
      if (managers.some(({ isRunning }) => !isRunning)) throw new Error(`a manager has ended by itself:\n${log}`);
      if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}\nThe logs end:\n${log}`);
      await systemClock.sleep(LOOK_MS, ended.signal);
    }
  };
  const runs = (controller: string): boolean => controllers.includes(controller);
  await openNamespace(tag, { run, until, runs });
  const before = await untilQuiet(() => follower.requestsOf(tag).length, OPENING_MS);
  const watching: Promise<void>[] = [];
  const backend: Backend = {
    tag,
    isCalm: true,
    quietMsMin: 0,
    run,
    runAs: (user) => (call) => call(scenarioClient(impersonating(transport, user)), ended.signal),
    peek: run,
    runs,
    now: () => systemClock.now(),
    pass: (ms) => systemClock.sleep(ms, ended.signal),
    until,
    eventsWritten: () => follower.eventsWritten(),
    requests: () => follower.requestsOf(tag).slice(before),
    watch: (check) => {
      const look = async (): Promise<void> => {
        while (!ended.signal.aborted) {
          await check();
          await systemClock.sleep(WATCH_MS, ended.signal).catch(() => undefined);
        }
      };
      watching.push(look());
    },
    serve: (api) => apis.serve(tag, api),
    hold: (resource) => proxy.hold(resource),
    release: (resource) => proxy.release(resource),
    outage: async (meanwhile) => {
      const before = new Set(proxy.watched());
      proxy.close();
      await meanwhile();
      proxy.open();
      await until("all watches are there again", async () =>
        [...before].every((each) => proxy.watched().includes(each)),
      );
    },
    restart,
  };
  return {
    backend,
    close: async (play) => {
      ended.abort();
      await Promise.allSettled(watching);
      await apis.withdraw(tag);
      await removeCreated(client, play);
    },
  };
}

/** Waits until the count stays the same for `quietMs`. The audit log shows a request a little after its answer. */
async function untilQuiet(count: () => number, quietMs: number): Promise<number> {
  for (let seen = -1; ; ) {
    const now = count();
    if (now === seen) return now;
    seen = now;
    await systemClock.sleep(quietMs, new AbortController().signal);
  }
}

/** Deletes the objects that the scenario created, youngest first. */
async function removeCreated(client: Client, { steps }: Play): Promise<void> {
  const { signal } = new AbortController();
  for (const { write } of steps.toReversed()) {
    const { verb, resource, namespace, name } = write;
    if (verb !== "create" || name === "" || name.includes("/")) continue;
    const at = { name, ...(namespace === undefined ? {} : { namespace }) };
    const objects = client.resource(resource);
    const patch = { metadata: { finalizers: null } };
    const options = { gracePeriodSeconds: 0, propagationPolicy: "Background" } as const;
    await objects.delete({ ...at, options }, signal).catch(() => undefined);
    await objects.patch({ ...at, type: "merge", patch }, signal).catch(() => undefined); // usually gone already
  }
}

function adminTransport(plane: ControlPlane): Promise<Transport> {
  const { certificatePem: cert, keyPem: key } = plane.admin;
  return createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
}

const scenarioClient = (transport: Transport): Client =>
  createClient({ transport, clock: systemClock, userAgent: "scenario" });

/** Acts as the user: the administrator may impersonate any user. */
function impersonating(transport: Transport, { name, groups = [] }: StageUser): Transport {
  const as = { "impersonate-user": name, ...(groups.length === 0 ? {} : { "impersonate-group": groups }) };
  return {
    send: (request, signal) => transport.send({ ...request, headers: { ...request.headers, ...as } }, signal),
  };
}
