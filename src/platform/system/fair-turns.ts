// Lets sockets be served while the process is busy with itself. Work that goes from promise to promise never gives the
// event loop a turn; such work asks here before each piece.

import { systemTurn } from "./system-clock.ts";

/** Work may go on for so long without a turn. */
const BUSY_MS_MAX = 5;

export class FairTurns {
  #lastMs = performance.now();
  #pending: Promise<void> | undefined;

  /** Some work waits for its turn. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Undefined: go on. Else wait for the promise, while the event loop takes its turn, and ask again: hundreds may wait for
   * one turn, and when the first of them have been busy for long enough, it is time for the next.
   */
  next(): Promise<void> | undefined {
    if (this.#pending === undefined && performance.now() - this.#lastMs >= BUSY_MS_MAX) this.#pending = this.#take();
    return this.#pending;
  }

  /** A turn after which no work waits for another one. */
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
