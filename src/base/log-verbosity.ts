// The verbosity: -v for all files, --vmodule for some. It can be changed while the program runs.
// Upstream: k8s.io/klog/v2/internal/verbosity/verbosity.go

export interface ModuleLevel {
  /** A glob over names of source files without folder and extension: * ? [a-z] and \ to escape. */
  readonly pattern: string;
  readonly level: number;
}

export class LogVerbosity {
  #level: number;
  #modules: readonly { matches: (name: string) => boolean; level: number }[] = [];
  /** The level that the patterns give to a file, once computed. */
  readonly #known = new Map<string, number>();

  constructor(level = 0, modules: readonly ModuleLevel[] = []) {
    this.#level = level;
    this.setModules(modules);
  }

  get level(): number {
    return this.#level;
  }

  setLevel(level: number): void {
    this.#level = level;
  }

  setModules(modules: readonly ModuleLevel[]): void {
    // Level 0 is always enabled.
    this.#modules = modules
      .filter(({ level }) => level > 0)
      .map(({ pattern, level }) => ({ matches: globMatcher(pattern), level }));
    this.#known.clear();
  }

  /** caller: finds the source file that logs. It is called only if a pattern may raise that file's level. */
  isEnabled(level: number, caller: (() => { readonly file: string } | undefined) | undefined): boolean {
    if (this.#level >= level) return true;
    if (this.#modules.length === 0) return false;
    const file = caller?.()?.file;
    return file !== undefined && this.#moduleLevel(file) >= level;
  }

  /** The first pattern that matches decides. */
  #moduleLevel(file: string): number {
    let level = this.#known.get(file);
    if (level === undefined) {
      const name = stem(file);
      level = this.#modules.find(({ matches }) => matches(name))?.level ?? 0;
      this.#known.set(file, level);
    }
    return level;
  }
}

/** "a/b/c.ts" to "c". */
function stem(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).replace(/\.[a-z]+$/, "");
}

/** Go's filepath.Match without separators; a malformed pattern matches nothing. */
export function globMatcher(pattern: string): (name: string) => boolean {
  let source = "";
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === "*") source += "[^/]*";
    else if (char === "?") source += "[^/]";
    else if (char === "[") {
      const end = pattern.indexOf("]", i + 2);
      if (end < 0) return () => false;
      const body = pattern.slice(i + 1, end);
      source += body.startsWith("^") ? `[^${escapeClass(body.slice(1))}]` : `[${escapeClass(body)}]`;
      i = end;
    } else if (char === "\\") {
      if (++i === pattern.length) return () => false;
      source += escapeLiteral(pattern[i] as string);
    } else source += escapeLiteral(char);
  }
  try {
    const expression = new RegExp(`^${source}$`, "su");
    return (name) => expression.test(name);
  } catch {
    return () => false;
  }
}

function escapeLiteral(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

function escapeClass(body: string): string {
  return body.replace(/[[\]^]/g, "\\$&");
}
