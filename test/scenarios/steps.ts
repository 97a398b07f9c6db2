// Steps that scenarios take with any object: an administrator's hand, and the eyes of a test.

import { Events, Namespaces } from "#api/generated/resources/core-v1.ts";
import type { Event } from "#api/generated/types/core-v1.ts";
import type { Draft, Resource, Stored, StoredObject } from "#api/resource.ts";
import type { Stage } from "./stage.ts";

export async function createObject<T extends StoredObject>(
  stage: Stage,
  resource: Resource<T>,
  object: Draft<T>,
): Promise<T> {
  return stage.do((client, signal) => client.resource(resource).create({ namespace: stage.namespace, object }, signal));
}

export function untilFound<T extends StoredObject>(
  stage: Stage,
  resource: Resource<T>,
  name: string,
  test: (object: T) => boolean = () => true,
  namespace: string = stage.namespace,
): Promise<T> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource(resource).list({ namespace }, signal);
    return items.find((item) => item.metadata.name === name && test(item));
  });
}

export function untilGone(stage: Stage, resource: Resource, name: string): Promise<true> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource(resource).list({ namespace: stage.namespace }, signal);
    return items.some((item) => item.metadata.name === name) ? undefined : true;
  });
}

export const remove = (stage: Stage, resource: Resource, name: string): Promise<unknown> =>
  stage.do((client, signal) => client.resource(resource).delete({ namespace: stage.namespace, name }, signal));

export const patch = (stage: Stage, resource: Resource, name: string, change: object): Promise<unknown> =>
  stage.do((client, signal) =>
    client.resource(resource).patch({ namespace: stage.namespace, name, type: "merge", patch: change }, signal),
  );

export const namesIn = (stage: Stage, resource: Resource): Promise<string[]> =>
  stage.do(async (client, signal) => {
    const { items } = await client.resource(resource).list({ namespace: stage.namespace }, signal);
    return items.map(({ metadata }) => metadata.name);
  });

export const createNamespace = (stage: Stage, name: string): Promise<unknown> =>
  stage.do((client, signal) => client.resource(Namespaces).create({ object: { metadata: { name } } }, signal));

/** Marks the stage's namespace for deletion; without a namespace controller it stays so. */
export async function terminateNamespace(stage: Stage): Promise<void> {
  await stage.do((client, signal) => client.resource(Namespaces).delete({ name: stage.namespace }, signal));
  await stage.until(async (client, signal) => {
    const { status } = await client.resource(Namespaces).get({ name: stage.namespace }, signal);
    return status?.phase === "Terminating" ? true : undefined;
  });
}

export function listEvents(stage: Stage): Promise<readonly Stored<Event>[]> {
  return stage.do(async (client, signal) => {
    const list = await client.resource(Events).list({ namespace: stage.namespace }, signal);
    return list.items;
  });
}

/** An event with this reason; the one that fits when several do. */
export function untilEvent(stage: Stage, test: (event: Stored<Event>) => boolean): Promise<Stored<Event>> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource(Events).list({ namespace: stage.namespace }, signal);
    return items.find(test);
  });
}
