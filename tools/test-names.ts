// Finds out from the sources of tests whether a part of a test's name exists, without running them. A name may have
// placeholders (`%s`, `$what`, `${…}`); then the values in their place must be in the sources too, or be numbers.

import { dirname, join } from "node:path";

const IMPORT = /\bfrom "(\.[^"]+|#test\/[^"]+)"/g;
const LITERAL = /(?<=[(\s:])(?:"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`)/g;
const PLACEHOLDER = /%[a-z]|\$\{[^}]*\}|\$[A-Za-z][\w.]*/;
const IDS = /^(?:[a-z-]+\/\S+ )+/;
const NUMBER = /^\d+$/;

/** A file of tests, or a module of scenarios or cases that it imports. */
interface TestSource {
  readonly text: string;
  /** The modules of tests that it imports. */
  readonly imports: readonly string[];
  /** Names with placeholders, each as a pattern for a whole name without the ids before it. */
  readonly patterns: () => readonly RegExp[];
}

export class TestNames {
  readonly #read: (file: string) => string;
  readonly #sources = new Map<string, TestSource>();

  /** Each file is read at most once. */
  constructor(read: (file: string) => string) {
    this.#read = read;
  }

  /** Whether these files, or the modules of tests that they import, have tests with this part of a name. */
  has(part: string, files: readonly string[]): boolean {
    const sources = this.#reachable(files);
    const isWritten = (text: string): boolean => sources.some((source) => source.text.includes(text));
    const isValue = (text: string): boolean => NUMBER.test(text) || isWritten(text);
    const isComposed = (text: string): boolean =>
      sources.some(({ patterns }) =>
        patterns().some((pattern) => pattern.exec(text)?.slice(1).every(isValue) ?? false),
      );
    return part.split(" > ").every((name) => isWritten(name) || isComposed(name));
  }

  #reachable(files: readonly string[]): readonly TestSource[] {
    const reached = new Set(files);
    // A set also visits what is added meanwhile.
    for (const file of reached) for (const imported of this.#source(file).imports) reached.add(imported);
    return [...reached].map((file) => this.#source(file));
  }

  #source(file: string): TestSource {
    const known = this.#sources.get(file);
    if (known !== undefined) return known;
    const text = this.#read(file).replaceAll('\\"', '"');
    const imports = [...text.matchAll(IMPORT)]
      .map(([, path = ""]) => (path.startsWith("#") ? path.slice(1) : join(dirname(file), path)))
      .filter((path) => path.startsWith("test/") && path.endsWith(".ts"));
    let patterns: readonly RegExp[] | undefined;
    const source = { text, imports, patterns: () => (patterns ??= patternsIn(text)) };
    this.#sources.set(file, source);
    return source;
  }
}

function patternsIn(source: string): readonly RegExp[] {
  return [...source.matchAll(LITERAL)]
    .map(([literal]) => literal.slice(1, -1).replace(IDS, ""))
    .filter((name) => PLACEHOLDER.test(name))
    .map((name) => new RegExp(`^${name.split(PLACEHOLDER).map(escaped).join("(.*?)")}$`));
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
