// Keeps many streams from taking the event loop for themselves. Each chunk costs a system call and a TLS record,
// whatever its size: when more are written than the loop can bear, those who have written wait for the end of
// a short window, and what comes meanwhile leaves as one chunk. Few streams, or quiet ones, never wait. The busier
// the machine is, the longer the windows and the shorter the turns.

const WINDOW_MS = 50;
/** Chunks that a window has room for before anybody waits: about a tenth of its time. */
const FREE_CHUNKS = 200;
/** How many go on in one turn of the event loop; fewer when turns take longer than they should. */
const TURN_CHUNKS_MAX = 100;
const TURN_CHUNKS_MIN = 10;
const TURN_MS = 5;
/** About the longest time that a chunk is held back. */
const RELEASE_MS_MAX = 1_000;

export class StreamPacer {
  #count = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #turnChunks = TURN_CHUNKS_MAX;
  /** How long it took the last time until all that had waited were let go on: they get as much again for others. */
  #releaseMs = 0;

  /** A chunk was written. True: the writer must wait, and `goOn` is called when it is over. */
  written(goOn: () => void): boolean {
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS + this.#releaseMs);
    if (++this.#count <= FREE_CHUNKS) return false;
    this.#waiting.push(goOn);
    return true;
  }

  #endWindow(): void {
    this.#timer = undefined;
    this.#count = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    const nowMs = performance.now();
    this.#release(waiting, 0, nowMs, nowMs);
  }

  #release(waiting: readonly (() => void)[], from: number, startMs: number, turnMs: number): void {
    const end = Math.min(waiting.length, from + this.#turnChunks);
    for (let i = from; i < end; i++) waiting[i]?.();
    // What they write is written before the next turn.
    setImmediate(() => {
      const nowMs = performance.now();
      const isLong = nowMs - turnMs > TURN_MS;
      const chunks = isLong ? this.#turnChunks >> 1 : this.#turnChunks + TURN_CHUNKS_MIN;
      this.#turnChunks = Math.min(TURN_CHUNKS_MAX, Math.max(TURN_CHUNKS_MIN, chunks));
      if (end < waiting.length) this.#release(waiting, end, startMs, nowMs);
      else this.#releaseMs = Math.min(nowMs - startMs, RELEASE_MS_MAX);
    });
  }
}
