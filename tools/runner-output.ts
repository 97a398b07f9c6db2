// Reads the output of `bun test` and vitest line by line: counts tests and chooses the lines to show.

export interface RunnerCounts {
  /** Files with output so far; in parallel runs several are in progress. */
  readonly files: number;
  readonly tests: number;
  readonly failed: number;
}

const bunFile = /^(\S+\.test\.ts):$/;
const bunDone = /^\((?:pass|skip|todo)\) /;
const bunFailed = /^\(fail\) /;
/** In vitest's output: a line per file, followed by one per slow test. */
const vitestPassed = /^ +✓ /;
const vitestFile = /^ *([✓❯×↓]) (?:\S+ +)?(\S+\.test\.ts) \((\d+) tests?(?: \| (\d+) failed)?/;

export class RunnerOutput {
  readonly #isTerse: boolean;
  /** The file of the next lines, if it has not been shown yet. */
  #unshownFile: string | undefined;
  readonly #files = new Set<string>();
  #tests = 0;
  #failed = 0;

  /** If terse, passed tests are counted, not shown. */
  constructor(isTerse: boolean) {
    this.#isTerse = isTerse;
  }

  get counts(): RunnerCounts {
    return { files: this.#files.size, tests: this.#tests, failed: this.#failed };
  }

  /** The lines to show for this line: none, the line itself, or its file first. */
  take(line: string): readonly string[] {
    const isNew = this.#count(line);
    if (!this.#isTerse) return [line];
    if (isNew || line.trim() === "") return [];
    const file = this.#unshownFile;
    this.#unshownFile = undefined;
    return file === undefined ? [line] : [file, line];
  }

  /** Whether the line only reports progress. */
  #count(line: string): boolean {
    const file = bunFile.exec(line)?.[1];
    if (file !== undefined) {
      this.#files.add(file);
      this.#unshownFile = line;
      return true;
    }
    if (bunDone.test(line) || bunFailed.test(line)) {
      const isFailed = bunFailed.test(line);
      this.#tests++;
      if (isFailed) this.#failed++;
      return !isFailed;
    }
    const [, sign, name = "", count = "0", failures = "0"] = vitestFile.exec(line) ?? [];
    if (sign === undefined) return vitestPassed.test(line);
    this.#files.add(name);
    this.#tests += Number(count);
    this.#failed += Number(failures);
    return sign === "✓";
  }
}
