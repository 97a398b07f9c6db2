// Reads what `bun test` and vitest print, line by line: counts what is done, and says which lines are worth showing.

export interface RunnerCounts {
  /** Of which something was told; side by side, several are under way. */
  readonly files: number;
  readonly tests: number;
  readonly failed: number;
}

const bunFile = /^(\S+\.test\.ts):$/;
const bunDone = /^\((?:pass|skip|todo)\) /;
const bunFailed = /^\(fail\) /;
/** Of vitest: a line per file, and below it one per slow test. */
const vitestPassed = /^ +✓ /;
const vitestFile = /^ *([✓❯×↓]) (?:\S+ +)?(\S+\.test\.ts) \((\d+) tests?(?: \| (\d+) failed)?/;

export class RunnerOutput {
  readonly #isTerse: boolean;
  /** The file that the next lines are about, while none of them was shown. */
  #unshownFile: string | undefined;
  readonly #files = new Set<string>();
  #tests = 0;
  #failed = 0;

  /** Terse: tests that passed are counted, not shown. */
  constructor(isTerse: boolean) {
    this.#isTerse = isTerse;
  }

  get counts(): RunnerCounts {
    return { files: this.#files.size, tests: this.#tests, failed: this.#failed };
  }

  /** The lines to show for this one: none, itself, or first the file that it is about. */
  take(line: string): readonly string[] {
    const isNew = this.#count(line);
    if (!this.#isTerse) return [line];
    if (isNew || line.trim() === "") return [];
    const file = this.#unshownFile;
    this.#unshownFile = undefined;
    return file === undefined ? [line] : [file, line];
  }

  /** Is this line only news about progress? */
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
