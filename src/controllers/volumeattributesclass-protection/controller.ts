/**
 * Keeps a VolumeAttributesClass that is being deleted while claims or volumes refer to it.
 *
 * Keeps true:  each class that is not being deleted has the finalizer kubernetes.io/vac-protection; a deleted one keeps
 *              it while the caches show a claim or a volume that refers to it.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/volume/vacprotection.
 * Deviations:  a deletion that the watch missed counts like any other; upstream ignores it until the next event.
 */

import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { VolumeAttributesClasses } from "#api/generated/resources/storage-v1.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { concernsProtection, syncProtection } from "#families/protection/protection.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import type { ControllerParts } from "#kit/controller-parts.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { done } from "#kit/worker-loop.ts";
import { classesOfClaim, classesOfVolume } from "./class-names.ts";

const finalizer = "kubernetes.io/vac-protection";
const BY_CLASS = "volumeAttributesClassName";

export const volumeAttributesClassProtection: ControllerDescriptor = keyedController({
  name: "volumeattributesclass-protection-controller",
  contract: {
    watches: [VolumeAttributesClasses, PersistentVolumeClaims, PersistentVolumes],
    reads: [],
    writes: [update(VolumeAttributesClasses)],
  },
  build(parts) {
    const classes = parts.informer(VolumeAttributesClasses);
    const api = parts.client.resource(VolumeAttributesClasses);
    const queue = parts.queue({ name: "vacprotection" });
    parts.enqueue(classes, queue, { on: ["add", "update"], when: (object) => concernsProtection(object, finalizer) });
    const users = [
      follow(PersistentVolumes, classesOfVolume, parts, queue),
      follow(PersistentVolumeClaims, classesOfClaim, parts, queue),
    ];
    const isUsed = ({ metadata }: StoredObject): boolean =>
      users.some(({ store }) => store.byIndex(BY_CLASS, metadata.name).length > 0);
    parts.work({
      queue,
      async sync(key, signal) {
        const object = classes.lister.get(key);
        return object === undefined ? done : await syncProtection(object, { finalizer, api, isUsed }, signal);
      },
    });
  },
});

/** Indexes the users of classes, and queues a class when a user drops its reference. */
function follow<T extends StoredObject>(
  resource: Resource<T>,
  classesOf: (user: T) => readonly string[],
  parts: ControllerParts,
  queue: KeyQueue,
): Pick<SharedInformer<T>, "store"> {
  const informer = parts.informer(resource);
  informer.addIndexers({ [BY_CLASS]: classesOf });
  const enqueue = (names: readonly string[], event: ChangeType, user: T): void => {
    for (const name of names) queue.add(name, eventCause(resource, event, user));
  };
  parts.handle(informer, {
    onUpdate(oldUser, user) {
      const kept = new Set(classesOf(user));
      enqueue(
        classesOf(oldUser).filter((name) => !kept.has(name)),
        "update",
        user,
      );
    },
    onDelete: (user) => enqueue(classesOf(user), "delete", user),
  });
  return informer;
}
