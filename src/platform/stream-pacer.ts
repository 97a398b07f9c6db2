// Keeps many streams from taking the event loop for themselves. Each chunk costs a system call and a TLS record,
// whatever its size: when more are written than the loop can bear, those who have written wait for the end of
// a short window, and what comes meanwhile leaves as one chunk. Few streams, or quiet ones, never wait.

const WINDOW_MS = 50;
/** Chunks that a window has room for before anybody waits: about a quarter of its time. */
const FREE_CHUNKS = 500;
/** How many go on in one turn of the event loop. */
const TURN_CHUNKS = 100;

export class StreamPacer {
  #count = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** A chunk was written. True: the writer must wait, and `goOn` is called when it is over. */
  written(goOn: () => void): boolean {
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS);
    if (++this.#count <= FREE_CHUNKS) return false;
    this.#waiting.push(goOn);
    return true;
  }

  #endWindow(): void {
    this.#timer = undefined;
    this.#count = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    release(waiting, 0);
  }
}

function release(waiting: readonly (() => void)[], from: number): void {
  const end = Math.min(waiting.length, from + TURN_CHUNKS);
  for (let i = from; i < end; i++) waiting[i]?.();
  if (end < waiting.length) setImmediate(() => release(waiting, end));
}
