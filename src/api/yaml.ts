// Parses YAML like upstream's YAML-to-JSON conversion: the package yaml finds the structure, and plain scalars are
// resolved here by go-yaml v2's rules (YAML 1.1 without base 60: "yes" is true, 0777 is octal). Only the first document
// is read. Import this file only where YAML is needed: the package takes 20 ms to load.
// Upstream: sigs.k8s.io/yaml, YAMLToJSON; go.yaml.in/yaml/v2, resolve.go and decode.go

import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
} from "yaml";
import { decodeBase64 } from "#api/base64.ts";
import { CodecError } from "#api/codec-error.ts";
import { goQuote } from "#api/go-text.ts";
import { type BeyondInt64, decodeUtf8 } from "#api/json.ts";
import { setOwn } from "#api/patch/json-value.ts";
import { resolvePlainScalar } from "#api/yaml-scalar.ts";

export interface DecodedYaml {
  readonly value: unknown;
  /** Duplicate keys in a map, in upstream's words; strict validation reports them. */
  readonly duplicates: readonly string[];
}

/** Well below the depth at which recursion over a document overflows on any runtime. */
const DEPTH_MAX = 500;
/** The parser may open two levels for one of the value. */
const STACK_MAX = 2 * DEPTH_MAX + 10;
/** About a second of work. Deviation: upstream has no limit. */
const LEXEMES_MAX = 300_000;
const TAG_PREFIX = "tag:yaml.org,2002:";

/** linesBefore: the lines of the file before this text, for line numbers in messages. */
export function decodeYaml(text: string, beyondInt64: BeyondInt64 = "double", linesBefore = 0): DecodedYaml {
  const lines = new LineCounter();
  // The package's pretty errors are off: each would contain a line of the text, however long.
  const composer = new Composer({
    schema: "failsafe",
    version: "1.1",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const [document] = composer.compose(tokensOf(text, lines), true, text.length).take(1);
  if (document === undefined) return { value: null, duplicates: [] };
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new CodecError("yaml", `yaml: ${error.message} at line ${line + linesBefore}, column ${col}:`, {
      cause: error,
    });
  }
  const reader = new YamlReader(document, lines, linesBefore, beyondInt64);
  return { value: reader.read(document.contents as Node | null, 0), duplicates: reader.duplicates };
}

/** Ends as soon as there is too much: the tree of a hostile text takes thousands of times its size. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++lexemes > LEXEMES_MAX) throw new CodecError("yaml", `yaml: document has more than ${LEXEMES_MAX} tokens`);
    yield* parser.next(lexeme);
    if (parser.stack.length > STACK_MAX) throw new CodecError("yaml", "yaml: exceeded max depth");
  }
  yield* parser.end();
}

export function decodeYamlBytes(bytes: Uint8Array): DecodedYaml {
  return decodeYaml(decodeUtf8(bytes));
}

class YamlReader {
  readonly duplicates: string[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #linesBefore: number;
  readonly #beyondInt64: BeyondInt64;
  readonly #openAliases = new Set<string>();
  #nodes = 0;
  #aliasedNodes = 0;

  constructor(document: Document, lines: LineCounter, linesBefore: number, beyondInt64: BeyondInt64) {
    this.#document = document;
    this.#lines = lines;
    this.#linesBefore = linesBefore;
    this.#beyondInt64 = beyondInt64;
  }

  read(node: Node | null, depth: number): unknown {
    if (depth > DEPTH_MAX) throw new CodecError("yaml", "yaml: exceeded max depth");
    this.#count();
    if (node === null) return null;
    if (isAlias(node)) return this.#throughAlias(node, (target) => this.read(target, depth + 1));
    if (isScalar(node)) return this.#scalar(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item as Node | null, depth + 1));
    const object: Record<string, unknown> = {};
    this.#mapInto(object, new Set(), node, depth);
    return object;
  }

  /** Upstream's guard against documents that grow by aliases of aliases. */
  #count(): void {
    this.#nodes++;
    if (this.#openAliases.size > 0) this.#aliasedNodes++;
    if (
      this.#aliasedNodes > 100 &&
      this.#nodes > 1000 &&
      this.#aliasedNodes / this.#nodes > allowedAliasRatio(this.#nodes)
    ) {
      throw new CodecError("yaml", "yaml: document contains excessive aliasing");
    }
  }

  #throughAlias<T>(alias: Alias, read: (target: Node) => T): T {
    const target = alias.resolve(this.#document) as Node | undefined;
    if (target === undefined) throw new CodecError("yaml", `yaml: unknown anchor '${alias.source}' referenced`);
    if (this.#openAliases.has(alias.source)) {
      throw new CodecError("yaml", `yaml: anchor '${alias.source}' value contains itself`);
    }
    this.#openAliases.add(alias.source);
    const value = read(target);
    this.#openAliases.delete(alias.source);
    return value;
  }

  #scalar(node: { value: unknown; type?: string; tag?: string }): unknown {
    const text = String(node.value ?? "");
    const tag = node.tag?.startsWith(TAG_PREFIX) ? node.tag.slice(TAG_PREFIX.length) : node.tag;
    if (tag === "binary") return decodeUtf8(decodeBase64(text));
    if (tag !== undefined && !/^(bool|int|float|null|timestamp)$/.test(tag)) return text;
    if (tag === undefined && node.type !== "PLAIN" && node.type !== undefined) return text;
    const value = resolvePlainScalar(text, this.#beyondInt64);
    if (typeof value === "number" && !Number.isFinite(value))
      throw new CodecError("yaml", `yaml: unsupported value: ${text}`);
    return value;
  }

  /**
   * Pairs are processed in order: a merge overrides earlier keys and yields to later ones. `seen`: the keys as read: 1
   * is not "1".
   */
  #mapInto(object: Record<string, unknown>, seen: Set<unknown>, map: Node, depth: number): void {
    if (!isMap(map)) throw new CodecError("yaml", "yaml: map merge requires map or sequence of maps as the value");
    for (const { key, value } of map.items) {
      if (isScalar(key) && key.type === "PLAIN" && key.value === "<<" && key.tag === undefined) {
        this.#merge(object, seen, value as Node, depth + 1);
        continue;
      }
      const name = this.#keyOf(key as Node | null, depth);
      if (seen.has(name)) this.#reportDuplicate(name, (value ?? key) as Node);
      seen.add(name);
      setOwn(object, String(name), this.read(value as Node | null, depth + 1));
    }
  }

  #merge(object: Record<string, unknown>, seen: Set<unknown>, source: Node, depth: number): void {
    if (isAlias(source)) this.#throughAlias(source, (target) => this.#mapInto(object, seen, target, depth));
    else if (isSeq(source))
      for (const item of source.items.toReversed()) this.#merge(object, seen, item as Node, depth);
    else this.#mapInto(object, seen, source, depth);
  }

  #keyOf(key: Node | null, depth: number): unknown {
    const value = this.read(key, depth + 1);
    if (typeof value === "object")
      throw new CodecError("yaml", "yaml: unsupported map key: it must be a scalar, not null");
    return value;
  }

  #reportDuplicate(name: unknown, at: Node): void {
    const { line } = this.#lines.linePos(at.range?.[0] ?? 0);
    this.duplicates.push(
      `line ${line + this.#linesBefore}: key ${typeof name === "string" ? goQuote(name) : name} already set in map`,
    );
  }
}

// Upstream: go.yaml.in/yaml/v2/decode.go, allowedAliasRatio
function allowedAliasRatio(nodes: number): number {
  if (nodes <= 400_000) return 0.99;
  return nodes >= 4_000_000 ? 0.1 : 0.99 - (0.89 * (nodes - 400_000)) / 3_600_000;
}
