// The last line of a terminal, rewritten in place while the cluster runs.

import type { ClusterCounts } from "#cluster/pod-counts.ts";

const LOOK_MS = 500;
/** Back to the start of the line, and clear it. */
const CLEAR = "\r\u001b[K";

export interface StatusLineOptions {
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly text: () => string;
}

export class StatusLine implements Disposable {
  readonly #options: StatusLineOptions;
  readonly #timer: NodeJS.Timeout;
  #shown = "";

  constructor(options: StatusLineOptions) {
    this.#options = options;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), LOOK_MS);
    this.#timer.unref();
  }

  /** Writes other text above the line. */
  above(write: () => void): void {
    this.#options.write(CLEAR);
    this.#shown = "";
    write();
    this.#draw();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#options.write(CLEAR);
  }

  #draw(): void {
    const { text, write, columns } = this.#options;
    const line = text().slice(0, Math.max(0, columns() - 1));
    if (line === this.#shown) return;
    this.#shown = line;
    write(CLEAR + line);
  }
}

/** time: the cluster's time, if it differs from the machine's. */
export function statusText({ nodes, pods, phases }: ClusterCounts, time?: { now: Date; speed: number }): string {
  const told = phases.map(([phase, count]) => `${count} ${phase}`).join(", ");
  const parts = [plural(nodes, "node"), pods === 0 ? "no pods" : `${plural(pods, "pod")}: ${told}`];
  if (time !== undefined) parts.push(`${time.now.toISOString().slice(0, 19)}Z, ${time.speed} times as fast`);
  return parts.join(" | ");
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
