// The embedded server under the virtual clock as a stage.

import type { FeatureTable } from "#base/feature-gates.ts";
import { hostTurn } from "#base/testing.ts";
import type { LoggedRequest } from "#sim/request-log.ts";
import { type ManagerOptions, World } from "#sim/world.ts";
import type { Stage, StageWrite } from "./stage.ts";

const on = [{ version: "1.36", default: true, preRelease: "BETA" }] as const;
const gates: FeatureTable = {
  gates: {
    StaleControllerConsistencyReplicaSet: on,
    PodDeletionCost: on,
    DeploymentReplicaSetTerminatingReplicas: on,
    WatchListClient: on,
    AtomicFIFO: on,
    InOrderInformersBatchProcess: on,
  },
};

export interface EmbeddedStage extends Stage {
  readonly world: World;
  stop(): Promise<void>;
}

export async function embeddedStage(options: ManagerOptions & { readonly seed?: string }): Promise<EmbeddedStage> {
  const world = new World({ turn: hostTurn, gates, seed: options.seed ?? "scenario" });
  const namespace = "scenario";
  await world.do(async (client, signal) => {
    const namespaces = client.resource({ group: "", version: "v1", resource: "namespaces" });
    await namespaces.create({ object: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } }, signal);
    const accounts = client.resource({ group: "", version: "v1", resource: "serviceaccounts" });
    const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    await accounts.create({ namespace, object }, signal);
  });
  const manager = world.startManager(options);
  await world.advance(100);
  return {
    namespace,
    world,
    client: world.client,
    now: () => world.clock.now(),
    do: (call) => world.do(call),
    until: (probe) => world.until(probe),
    pass: (ms) => world.advance(ms),
    writes: async () => world.log.writes.flatMap((request) => writeIn(namespace, request)),
    stop: async () => {
      const ended = manager.stop();
      await world.advance(1000);
      await ended;
      world.server.close();
    },
  };
}

const NAMESPACED = /^\/apis?\/(?:[^/]+\/)?[^/]+\/namespaces\/([^/]+)\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?/;

function writeIn(namespace: string, { who, method, target, code, body }: LoggedRequest): StageWrite[] {
  const match = NAMESPACED.exec(target);
  if (match === null || match[1] !== namespace || match[2] === "events") return [];
  const [, , resource = "", name = "", subresource] = match;
  return [{ who, method, resource: subresource ? `${resource}/${subresource}` : resource, name, code, body }];
}
