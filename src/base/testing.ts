// For tests of the deterministic layers only: the host's turn, which their code may not name.
import { type Host, noKeys } from "./host.ts";
import { UTC_ONLY } from "./time-zones.ts";
import { VirtualClock } from "./virtual-clock.ts";

type SetImmediate = (callback: () => void) => unknown;

/** One hop of the host's event loop: all promises that can settle have settled when it returns. */
export function hostTurn(): Promise<void> {
  const hop = Reflect.get(globalThis, "setImmediate") as SetImmediate;
  return new Promise((resolve) => hop(resolve));
}

export function testClock(startMs?: number): VirtualClock {
  return new VirtualClock(startMs === undefined ? { turn: hostTurn } : { turn: hostTurn, startMs });
}

/** A machine without files and keys. */
export const bareHost: Host = {
  files: {
    read(path) {
      throw new Error(`open ${path}: no such file or directory`);
    },
    makeDirectory(path) {
      throw new Error(`mkdir ${path}: permission denied`);
    },
    removeAll: () => undefined,
    watch: () => ({ [Symbol.dispose]: () => undefined }),
  },
  keys: noKeys,
  timeZones: UTC_ONLY,
  apiServerCa: "",
};

/** A signal that is never aborted. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/** Watches a signal from now on; the result tells how many abort listeners are on it. */
export function countListeners(signal: AbortSignal): () => number {
  const listeners = new Set<() => void>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type, listener, options) => {
    listeners.add(listener);
    add(type, listener, options);
  };
  // One that was called with `once` is gone.
  add("abort", () => listeners.clear());
  signal.removeEventListener = (type, listener) => {
    listeners.delete(listener);
    remove(type, listener);
  };
  return () => listeners.size;
}
