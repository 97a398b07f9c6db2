// The body of a watch answer: batches of events until the client leaves, the time is over, the server closes or the
// watcher has fallen behind.

import { concat } from "#base/bytes.ts";
import type { HttpBody } from "#base/http.ts";
import type { WatchEvents } from "./watch-events.ts";
import type { Watcher } from "./watcher.ts";

/** Limits the size of one chunk. */
const BATCH_EVENTS_MAX = 500;

/** `end` runs once, however the stream ends. */
export function watchBody(watcher: Watcher, events: WatchEvents, direct: boolean, end: () => void): HttpBody {
  if (direct) {
    const batches = stream(watcher, events, (batch) => batch.map((event) => events.event(event)), end);
    return { kind: "events", batches };
  }
  const chunks = stream(watcher, events, (batch) => concat(batch.map((event) => events.frame(event))), end);
  return { kind: "stream", chunks };
}

function stream<T>(
  watcher: Watcher,
  { areShown }: WatchEvents,
  render: (batch: ReturnType<Watcher["take"]>) => T,
  end: () => void,
): AsyncIterable<T> {
  let isEnded = false;
  const finish = (): IteratorResult<T> => {
    if (!isEnded) {
      isEnded = true;
      watcher.close();
      end();
    }
    return { done: true, value: undefined };
  };
  const next = async (): Promise<IteratorResult<T>> => {
    if (isEnded) return finish();
    let batch = watcher.take(BATCH_EVENTS_MAX);
    if (batch.length === 0) {
      if (watcher.isClosed) return finish();
      await watcher.ready();
      batch = watcher.take(BATCH_EVENTS_MAX);
      if (batch.length === 0) return finish();
    }
    return areShown ? { done: false, value: render(batch) } : finish();
  };
  const iterator: AsyncIterator<T> = { next, return: async () => finish() };
  return { [Symbol.asyncIterator]: () => iterator };
}
