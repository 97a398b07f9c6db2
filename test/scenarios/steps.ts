// Steps that scenarios take with any object: an administrator's hand, and the eyes of a test.

import type { Event, Namespace } from "#api/generated/types/core-v1.ts";
import type { GroupVersionResource, KubeObject } from "#api/object.ts";
import type { Draft } from "#api/resource.ts";
import type { Stage } from "./stage.ts";

export const namespacesGvr = { group: "", version: "v1", resource: "namespaces" };
export const eventsGvr = { group: "", version: "v1", resource: "events" };

export async function createObject<T extends KubeObject>(
  stage: Stage,
  gvr: GroupVersionResource,
  object: T,
): Promise<T> {
  return stage.do((client, signal) =>
    client.resource<T>(gvr).create({ namespace: stage.namespace, object: object as Draft<T> }, signal),
  );
}

export function untilFound<T extends KubeObject>(
  stage: Stage,
  gvr: GroupVersionResource,
  name: string,
  test: (object: T) => boolean = () => true,
  namespace: string = stage.namespace,
): Promise<T> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource<T>(gvr).list({ namespace }, signal);
    return items.find((item) => item.metadata?.name === name && test(item));
  });
}

export function untilGone(stage: Stage, gvr: GroupVersionResource, name: string): Promise<true> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource(gvr).list({ namespace: stage.namespace }, signal);
    return items.some((item) => item.metadata?.name === name) ? undefined : true;
  });
}

export const remove = (stage: Stage, gvr: GroupVersionResource, name: string): Promise<unknown> =>
  stage.do((client, signal) => client.resource(gvr).delete({ namespace: stage.namespace, name }, signal));

export const patch = (stage: Stage, gvr: GroupVersionResource, name: string, change: object): Promise<unknown> =>
  stage.do((client, signal) =>
    client.resource(gvr).patch({ namespace: stage.namespace, name, type: "merge", patch: change }, signal),
  );

export const namesIn = (stage: Stage, gvr: GroupVersionResource): Promise<string[]> =>
  stage.do(async (client, signal) => {
    const { items } = await client.resource(gvr).list({ namespace: stage.namespace }, signal);
    return items.map(({ metadata }) => metadata?.name ?? "");
  });

export const createNamespace = (stage: Stage, name: string): Promise<unknown> =>
  stage.do((client, signal) => {
    const object: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    return client.resource<Namespace>(namespacesGvr).create({ object }, signal);
  });

/** Marks the stage's namespace for deletion; without a namespace controller it stays so. */
export async function terminateNamespace(stage: Stage): Promise<void> {
  await stage.do((client, signal) => client.resource(namespacesGvr).delete({ name: stage.namespace }, signal));
  await stage.until(async (client, signal) => {
    const { status } = await client.resource<Namespace>(namespacesGvr).get({ name: stage.namespace }, signal);
    return status?.phase === "Terminating" ? true : undefined;
  });
}

export function listEvents(stage: Stage): Promise<readonly Event[]> {
  return stage.do(async (client, signal) => {
    const list = await client.resource<Event>(eventsGvr).list({ namespace: stage.namespace }, signal);
    return list.items;
  });
}

/** An event with this reason; the one that fits when several do. */
export function untilEvent(stage: Stage, test: (event: Event) => boolean): Promise<Event> {
  return stage.until(async (client, signal) => {
    const { items } = await client
      .resource<Event>({ group: "", version: "v1", resource: "events" })
      .list({ namespace: stage.namespace }, signal);
    return items.find(test);
  });
}
