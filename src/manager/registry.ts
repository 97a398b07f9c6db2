// The controllers that are written, each bound to its part of the component configuration. What the
// program knows by name is in known-controllers.ts; the difference of the two is what it cannot run yet.

import { replicaSetController } from "#controllers/replicaset/controller.ts";
import { replicationController } from "#controllers/replicationcontroller/controller.ts";
import { serviceAccountController } from "#controllers/serviceaccount/controller.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { knownControllers, SERVICE_ACCOUNT_TOKEN_CONTROLLER } from "./known-controllers.ts";
import type { ComponentConfig } from "./options/config.ts";

export interface RegisteredController {
  readonly name: string;
  readonly featureGates: readonly string[];
  build(context: ControllerContext, config: ComponentConfig): Promise<Controller | undefined>;
}

export const registeredControllers: readonly RegisteredController[] = [
  bind(replicationController, (config) => ({ workers: config.ReplicationController.ConcurrentRCSyncs })),
  bind(serviceAccountController, () => undefined),
  bind(replicaSetController, (config) => ({ workers: config.ReplicaSetController.ConcurrentRSSyncs })),
];

function bind<Options>(
  descriptor: ControllerDescriptor<Options>,
  optionsOf: (config: ComponentConfig) => Options,
): RegisteredController {
  const { name, featureGates } = descriptor;
  return { name, featureGates, build: (context, config) => descriptor.build(context, optionsOf(config)) };
}

/** Known by name, on by default or not, but not written yet. Cloud loops have no provider and are never built. */
export function unwrittenControllers(): readonly string[] {
  const written = new Set([...registeredControllers.map(({ name }) => name), SERVICE_ACCOUNT_TOKEN_CONTROLLER]);
  return knownControllers.filter(({ name, isCloud }) => !isCloud && !written.has(name)).map(({ name }) => name);
}
