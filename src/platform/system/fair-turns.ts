// Lets the event loop serve sockets while the process is busy. Work that continues from promise to promise never yields
// to the event loop, so such work calls next() before each piece.

import { systemTurn } from "./system-clock.ts";

/** How long work may run without a turn of the event loop. */
const BUSY_MS_MAX = 5;

export class FairTurns {
  #lastMs = performance.now();
  #pending: Promise<void> | undefined;

  /** Whether work waits for a turn. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Undefined: continue. Otherwise await the promise, which yields to the event loop, and call again: hundreds may wait
   * for one turn, and the first of them may use up the time until the next turn.
   */
  next(): Promise<void> | undefined {
    if (this.#pending === undefined && performance.now() - this.#lastMs >= BUSY_MS_MAX) this.#pending = this.#take();
    return this.#pending;
  }

  /** Waits for a turn after which no work is waiting. */
  async settle(): Promise<void> {
    do await systemTurn();
    while (this.isPending);
  }

  async #take(): Promise<void> {
    await systemTurn();
    this.#lastMs = performance.now();
    this.#pending = undefined;
  }
}
