// Keeps many streams from blocking the event loop. Each chunk costs a system call and a TLS record, whatever its size.
// If more chunks are written than the loop can bear, their writers wait until a short window ends, and data that
// arrives meanwhile leaves as one chunk. Few or quiet streams never wait. On a busier machine, windows get longer and
// turns shorter.

const WINDOW_MS = 50;
/** Chunks per window before writers have to wait: about a tenth of its time. */
const FREE_CHUNKS = 200;
/** How many writers continue in one turn of the event loop; fewer if turns take too long. */
const TURN_CHUNKS_MAX = 100;
const TURN_CHUNKS_MIN = 10;
const TURN_MS = 5;
/** About the longest delay of a chunk. */
const RELEASE_MS_MAX = 1_000;

export class StreamPacer {
  #count = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #turnChunks = TURN_CHUNKS_MAX;
  /**
   * How long the last release of all waiting writers took. The next window grows by this, to leave time for other work.
   */
  #releaseMs = 0;

  /** Call after writing a chunk. True: the writer must wait until `goOn` is called. */
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
    // Their chunks are written before the next turn.
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
