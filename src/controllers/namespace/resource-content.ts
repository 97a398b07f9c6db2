// Deletes the objects of one resource in a namespace and checks what remains: as a collection, or one by one if the API
// server does not support deletecollection for the resource.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, deleteAllContentForGroupVersionResource.

import type { Pods } from "#api/generated/resources/core-v1.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { resourceText } from "#api/object.ts";
import type { ObjectOf, PartialObjectMetadata, Resource } from "#api/resource.ts";
import { isMethodNotSupported, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Client, ResourceClient } from "#client/client.ts";
import { tolerate } from "#kit/tolerate.ts";
import { graceSeconds, secondsLeft } from "./grace.ts";
import { type Remains, remainsOf } from "./remains.ts";
import type { Unsupported } from "./unsupported.ts";

export interface ResourceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly unsupported: Unsupported;
  readonly pods: Pick<ResourceClient<ObjectOf<typeof Pods>>, "list">;
  readonly metadata: Client["metadata"];
}

export interface Content {
  readonly resource: Resource;
  readonly namespace: string;
  /** When the namespace was deleted. */
  readonly deletedAt: string;
}

export interface Outcome extends Remains {
  readonly resource: Resource;
  readonly error?: unknown;
}

/** The garbage collector must not orphan dependents, because the whole namespace is emptied. */
const BACKGROUND: DeleteOptions = { propagationPolicy: "Background" };

/** A failure is part of the outcome, so that the other resources are still emptied. */
export async function deleteContentOf(content: Content, deps: ResourceDeps, signal: AbortSignal): Promise<Outcome> {
  const { resource, namespace } = content;
  let estimateSeconds = 0;
  try {
    estimateSeconds = await estimate(content, deps, signal);
    if (!(await deleteCollection(content, deps, signal))) await deleteEach(content, deps, signal);
    const items = await listItems(content, deps, signal);
    const remains = remainsOf(items, estimateSeconds);
    if (remains.count === 0 || remains.estimateSeconds > 0) return { resource, ...remains };
    const text = `unexpected items still remain in namespace: ${namespace} for gvr: ${resourceText(resource)}`;
    return { resource, ...remains, error: new Error(text) };
  } catch (error) {
    signal.throwIfAborted();
    return { resource, estimateSeconds, count: 0, finalizers: new Map(), error };
  }
}

/** Only pods need time to end. */
async function estimate({ resource, namespace, deletedAt }: Content, deps: ResourceDeps, signal: AbortSignal) {
  if (resource.group !== "" || resource.resource !== "pods") return 0;
  const { items } = await deps.pods.list({ namespace }, signal);
  return secondsLeft(graceSeconds(items), deletedAt, deps.clock.now());
}

/** False: the resource does not support deletecollection. */
async function deleteCollection(
  { resource, namespace }: Content,
  { unsupported, metadata }: ResourceDeps,
  signal: AbortSignal,
): Promise<boolean> {
  if (unsupported.has("deletecollection", resource)) return false;
  const deleted = metadata(resource)
    .deleteCollection({ namespace, options: BACKGROUND }, signal)
    .then(() => true);
  return (await tolerate(deleted, isMethodNotSupported, isNotFound)) ?? false;
}

async function deleteEach(content: Content, deps: ResourceDeps, signal: AbortSignal): Promise<void> {
  const { resource, namespace } = content;
  for (const { metadata } of (await listItems(content, deps, signal)) ?? []) {
    const deleted = deps.metadata(resource).delete({ namespace, name: metadata.name, options: BACKGROUND }, signal);
    await tolerate(deleted, isNotFound, isMethodNotSupported);
  }
}

/** Undefined: the resource cannot be listed. */
async function listItems(
  { resource, namespace }: Content,
  { unsupported, metadata }: ResourceDeps,
  signal: AbortSignal,
): Promise<readonly PartialObjectMetadata[] | undefined> {
  if (unsupported.has("list", resource)) return undefined;
  const list = await tolerate(metadata(resource).list({ namespace }, signal), isMethodNotSupported, isNotFound);
  return list?.items;
}
