// Applies the events of a watch to the cache, in order, skips events from the past, and records the version up to which
// they have been applied.
// Upstream: client-go/tools/cache/reflector.go, handleAnyWatch

import type { Status } from "#api/meta.ts";
import { ref, type WatchEvent } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { ApiError } from "#api/status-error.ts";
import type { Logger } from "#base/log.ts";
import { type Delta, isOlderVersion } from "#informers/cache.ts";
import { StateWentBack } from "#informers/errors.ts";
import type { EventIntake } from "#informers/event-intake.ts";
import type { WatchSession } from "#informers/watch-session.ts";

/** The cache that a reflector writes to. */
export interface ReflectorTarget<T> {
  replace(objects: readonly T[], resourceVersion: string, isRestored: boolean): void;
  apply(deltas: readonly Delta<T>[]): void;
  bookmark(resourceVersion: string): void;
}

/** How far a stream has been followed. */
export interface StreamPosition {
  version: string;
  /** The synthetic ADDED events that begin a watch without a version are over. They come in no order. */
  isPastSynthetic: boolean;
}

export interface BatchDeps<T extends StoredObject> {
  readonly name: string;
  readonly target: ReflectorTarget<T>;
  readonly intake: EventIntake<T>;
  readonly log: Logger | undefined;
}

/** Applies a batch to the target and moves the position. Returns the error that ends the watch, if there is one. */
export function applyBatch<T extends StoredObject>(
  batch: readonly WatchEvent<T>[],
  session: WatchSession<T>,
  position: StreamPosition,
  { name, target, intake, log }: BatchDeps<T>,
): unknown {
  let deltas: Delta<T>[] = [];
  let { version } = position;
  const flush = (): void => {
    if (deltas.length > 0) target.apply(deltas);
    deltas = [];
    position.version = version;
  };
  for (const event of batch) {
    if (event.type === "ERROR") {
      flush();
      return new ApiError(event.object as Status);
    }
    if (!intake.accepts(event)) continue;
    session.eventCount++;
    const offered = event.object.metadata.resourceVersion;
    const isBack = position.isPastSynthetic && isOlderVersion(offered, version);
    if (event.type !== "ADDED") position.isPastSynthetic = true;
    switch (event.type) {
      case "ADDED":
      case "MODIFIED": {
        // An event from before this point was seen already, or its object has been deleted since.
        if (isBack) {
          log?.info("Ignored a watch event from the past", { type: name, object: ref(event.object), offered, version });
          continue;
        }
        const object = intake.transformed(event.object);
        if (object) deltas.push({ type: "upsert", object });
        break;
      }
      case "DELETED": {
        // Not every server gives a deletion a new version, so only the cache judges its age.
        const object = intake.transformed(event.object);
        if (object) deltas.push({ type: "delete", object });
        break;
      }
      case "BOOKMARK":
        session.noteBookmark();
        flush();
        if (isBack) return new StateWentBack(offered, version);
        target.bookmark(offered);
        break;
      default:
        log?.error(undefined, "Unknown watch event", { type: name, event: event.type satisfies never });
    }
    if (position.isPastSynthetic && !isBack) version = offered;
  }
  flush();
  return undefined;
}
