// The embedded server under the virtual clock as a stage.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Journal } from "#apiserver/storage/journal.ts";
import { errorMessage } from "#base/errors.ts";
import type { HttpRequest, Transport } from "#base/http.ts";
import { TransportError } from "#base/http.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { hostTurn } from "#base/testing.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import { MemoryDisk } from "#sim/memory-journal.ts";
import type { LoggedRequest } from "#sim/request-log.ts";
import { type ManagerOptions, World } from "#sim/world.ts";
import type { OutageStage, StageWrite } from "./stage.ts";

/** Virtual: longer than any back-off after an outage. */
const PATIENCE_MS = 300_000;
const LAST_WORDS = 2000;

export interface EmbeddedStage extends OutageStage {
  readonly world: World;
  stop(): Promise<void>;
}

export interface EmbeddedStageOptions extends ManagerOptions {
  readonly seed?: string;
  /** What the server's store is kept in; in memory unless given. */
  readonly openJournal?: () => Journal;
}

export async function embeddedStage(options: EmbeddedStageOptions): Promise<EmbeddedStage> {
  const disk = new MemoryDisk();
  const openJournal = options.openJournal ?? ((): Journal => disk.open());
  const world = new World({ turn: hostTurn, gates: featureGateTable(), seed: options.seed ?? "scenario", openJournal });
  const namespace = "scenario";
  await world.do(async (client, signal) => {
    const namespaces = client.resource(Namespaces);
    await namespaces.create({ object: { metadata: { name: namespace } } }, signal);
    const accounts = client.resource(ServiceAccounts);
    await accounts.create({ namespace, object: { metadata: { name: "default" } } }, signal);
  });
  const { clock } = world;
  let log = "";
  const write = (line: string): void => {
    log += line;
  };
  const logger = createLogger({ clock, format: "text", verbosity: new LogVerbosity(), write });
  let answersToLose = 0;
  const losing = (transport: Transport): Transport => ({
    async send(request, signal) {
      const response = await transport.send(request, signal);
      if (answersToLose === 0 || !isPodCreation(request)) return response;
      answersToLose--;
      throw new TransportError("reset", "read: connection reset by peer");
    },
  });
  const { network = (transport: Transport) => transport } = options;
  const manager = world.startManager({
    log: withoutRepeats(logger, clock),
    ...options,
    network: (transport) => losing(network(transport)),
  });
  await world.advance(100);
  return {
    namespace,
    world,
    client: world.client,
    now: () => world.clock.now(),
    do: (call) => world.do(call),
    until: async (probe) => {
      try {
        return await world.until(probe, PATIENCE_MS);
      } catch (error) {
        throw new Error(`${errorMessage(error)}\nThe manager's last words:\n${log.slice(-LAST_WORDS)}`, {
          cause: error,
        });
      }
    },
    pass: (ms) => world.advance(ms),
    writes: async () => world.log.writes.flatMap((request) => writeIn(namespace, request)),
    killServerAfterPods: (count) => {
      const written = new Set<string>();
      world.server.killAfterWrite(({ resource, key }) => resource === "pods" && written.add(key).size === count);
    },
    untilKilled: async () => {
      const isKilled = await clock.runUntil(() => !world.server.isRunning, 60_000);
      if (!isKilled) throw new Error("the server lives on");
    },
    startServer: async (how) => world.server.start(how),
    loseAnswersToPods: (count) => {
      answersToLose += count;
    },
    log: () => log,
    stop: async () => {
      const ended = manager.stop();
      await world.advance(1000);
      await ended;
      world.server.close();
    },
  };
}

function isPodCreation({ method, path }: HttpRequest): boolean {
  return method === "POST" && path.endsWith("/pods");
}

const NAMESPACED = /^\/apis?\/(?:[^/]+\/)?[^/]+\/namespaces\/([^/]+)\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?/;

function writeIn(namespace: string, { who, method, target, code, body }: LoggedRequest): StageWrite[] {
  const match = NAMESPACED.exec(target);
  if (match === null || match[1] !== namespace || match[2] === "events") return [];
  const [, , resource = "", name = "", subresource] = match;
  return [{ who, method, resource: subresource ? `${resource}/${subresource}` : resource, name, code, body }];
}
