// Flags with the syntax and the errors of pflag: --name value, --name=value, -n value, -nvalue,
// underscores equal to hyphens, "--" ends the flags, later values win or add.
// Upstream: github.com/spf13/pflag, flag.go, errors.go.

import { goQuote } from "#api/go-text.ts";
import { errorMessage } from "#base/errors.ts";
import type { FlagType } from "./flag-types.ts";

export interface FlagDefinition<V = unknown> {
  readonly name: string;
  readonly shorthand?: string;
  readonly type: FlagType<V>;
  readonly default: V;
  readonly help: string;
  /** Still accepted; using it prints this notice on standard error. */
  readonly deprecated?: string;
  readonly isHidden?: boolean;
}

export interface FlagSection {
  /** As help shows it: "generic" becomes "Generic flags:". */
  readonly name: string;
  readonly flags: readonly FlagDefinition[];
}

export class FlagError extends Error {
  override readonly name = "FlagError";
}

export interface ParsedFlags {
  /** Values by flag name, defaults included. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly changed: ReadonlySet<string>;
  /** The arguments that are not flags. */
  readonly positional: readonly string[];
  readonly isHelpWanted: boolean;
  /** Deprecation notices, in the order of use. */
  readonly notices: readonly string[];
}

/** Checks a definition's type against its default, then erases the type, because a table holds many types. */
export function flag<V>(
  name: string,
  type: FlagType<V>,
  defaultValue: V,
  help: string,
  more: Pick<FlagDefinition, "shorthand" | "deprecated" | "isHidden"> = {},
): FlagDefinition {
  return { name, type, default: defaultValue, help, ...more } as FlagDefinition;
}

export function parseFlags(sections: readonly FlagSection[], args: readonly string[]): ParsedFlags {
  const parser = new Parser(sections);
  parser.parse([...args]);
  return parser;
}

class Parser implements ParsedFlags {
  readonly values = new Map<string, unknown>();
  readonly changed = new Set<string>();
  readonly positional: string[] = [];
  readonly notices: string[] = [];
  get isHelpWanted(): boolean {
    return this.values.get("help") === true;
  }
  readonly #byName = new Map<string, FlagDefinition>();
  readonly #byShorthand = new Map<string, FlagDefinition>();

  constructor(sections: readonly FlagSection[]) {
    for (const { flags } of sections) {
      for (const definition of flags) {
        this.#byName.set(definition.name, definition);
        if (definition.shorthand !== undefined) this.#byShorthand.set(definition.shorthand, definition);
        this.values.set(definition.name, definition.default);
      }
    }
  }

  parse(args: string[]): void {
    for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
      if (arg === "--") {
        this.positional.push(...args);
        return;
      }
      if (arg.startsWith("--")) this.#parseLong(arg, args);
      else if (arg.startsWith("-") && arg.length > 1) this.#parseShort(arg, args);
      else this.positional.push(arg);
    }
  }

  #parseLong(arg: string, rest: string[]): void {
    const body = arg.slice(2);
    if (body.startsWith("-") || body.startsWith("=")) throw new FlagError(`bad flag syntax: ${arg}`);
    const equals = body.indexOf("=");
    const name = equals < 0 ? body : body.slice(0, equals);
    const definition = this.#byName.get(name.replaceAll("_", "-"));
    if (definition === undefined) throw new FlagError(`unknown flag: --${name}`);
    const value = equals < 0 ? (definition.type.valueWhenAlone ?? rest.shift()) : body.slice(equals + 1);
    if (value === undefined) throw new FlagError(`flag needs an argument: --${name}`);
    this.#set(definition, value);
  }

  #parseShort(arg: string, rest: string[]): void {
    for (let letters = arg.slice(1); letters !== ""; ) {
      const letter = letters[0] ?? "";
      const definition = this.#byShorthand.get(letter);
      if (definition === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in -${letters}`);
      const following = letters.slice(1);
      let value: string | undefined;
      if (following.startsWith("=") && following.length > 1) [value, letters] = [following.slice(1), ""];
      else if (definition.type.valueWhenAlone !== undefined)
        [value, letters] = [definition.type.valueWhenAlone, following];
      else if (following !== "") [value, letters] = [following, ""];
      else [value, letters] = [rest.shift(), ""];
      if (value === undefined) throw new FlagError(`flag needs an argument: '${letter}' in -${arg.slice(1)}`);
      this.#set(definition, value);
    }
  }

  #set(definition: FlagDefinition, text: string): void {
    const { name, type, shorthand, deprecated } = definition;
    try {
      this.values.set(name, type.parse(text, this.values.get(name), !this.changed.has(name)));
    } catch (error) {
      const shown = shorthand === undefined ? `--${name}` : `-${shorthand}, --${name}`;
      throw new FlagError(`invalid argument ${goQuote(text)} for ${goQuote(shown)} flag: ${errorMessage(error)}`);
    }
    this.changed.add(name);
    if (deprecated !== undefined) this.notices.push(`Flag --${name} has been deprecated, ${deprecated}`);
  }
}
