// For tests of the deterministic layers only: the host's event loop turn, which their code may not name.
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

/** A host without files and keys. */
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

/** Counts the abort listeners of a signal, from now on. */
export function countListeners(signal: AbortSignal): () => number {
  const listeners = new Set<() => void>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type, listener, options) => {
    listeners.add(listener);
    add(type, listener, options);
  };
  // A listener with `once` is gone after the abort.
  add("abort", () => listeners.clear());
  signal.removeEventListener = (type, listener) => {
    listeners.delete(listener);
    remove(type, listener);
  };
  return () => listeners.size;
}
