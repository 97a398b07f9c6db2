// The types of flags: how a text is parsed, how a value is printed, and the type's name in help.
// Upstream: github.com/spf13/pflag; k8s.io/component-base/cli/flag.

import type { GoDuration } from "#api/go-duration.ts";
import { formatDuration, parseDuration } from "#api/go-duration.ts";
import { goQuote } from "#api/go-text.ts";
import { parseQuantity } from "#api/quantity-parser.ts";
import { errorMessage } from "#base/errors.ts";
import { readCsv, writeCsv } from "./csv.ts";
import { FlagValueError, parseBool, parseFloatValue, parseInteger, parseUnsigned, printFloat } from "./go-number.ts";
import { isIpAddress } from "./ip.ts";

export interface FlagType<V> {
  /** The name in help after the flag; empty for switches. */
  readonly shownAs: string;
  /** The value when the flag stands alone; absent: a value is required. */
  readonly valueWhenAlone?: string;
  /** Throws FlagValueError. `previous` is the current value; `isFirst` means that it is still the default. */
  parse(text: string, previous: V, isFirst: boolean): V;
  print(value: V): string;
  /** Zero values, which help does not show as defaults. */
  readonly zeroText: readonly string[];
  /** Help quotes the default. */
  readonly quotesDefault?: boolean;
}

export const bool: FlagType<boolean> = {
  shownAs: "",
  valueWhenAlone: "true",
  parse: (text) => parseBool(text),
  print: String,
  zeroText: ["false", ""],
};

export const string: FlagType<string> = {
  shownAs: "string",
  parse: (text) => text,
  print: (value) => value,
  zeroText: [""],
  quotesDefault: true,
};

function integer(shownAs: string, bits: 32 | 64): FlagType<number> {
  return { shownAs, parse: (text) => parseInteger(text, bits), print: String, zeroText: ["0"] };
}
export const int: FlagType<number> = integer("int", 64);
export const int32: FlagType<number> = integer("int32", 32);

function float(shownAs: string, bits: 32 | 64): FlagType<number> {
  return {
    shownAs,
    parse: (text) => parseFloatValue(text, bits),
    print: (value) => printFloat(value, bits),
    zeroText: ["0"],
  };
}
export const float32: FlagType<number> = float("float32", 32);
export const float64: FlagType<number> = float("float", 64);

export const duration: FlagType<GoDuration> = {
  shownAs: "duration",
  parse(text) {
    try {
      return parseDuration(text);
    } catch (error) {
      throw new FlagValueError(errorMessage(error));
    }
  },
  print: formatDuration,
  zeroText: ["0", "0s"],
};

/** Comma-separated, and each further use adds to the list. */
export const strings: FlagType<readonly string[]> = {
  shownAs: "strings",
  parse: (text, previous, isFirst) => (isFirst ? readCsv(text) : [...previous, ...readCsv(text)]),
  print: (value) => `[${writeCsv(value)}]`,
  zeroText: ["[]"],
};

export const int32List: FlagType<readonly number[]> = {
  shownAs: "int32Slice",
  parse(text, previous, isFirst) {
    const values = text.split(",").map((part) => parseInteger(part, 32));
    return isFirst ? values : [...previous, ...values];
  },
  print: (value) => `[${value.join(",")}]`,
  zeroText: [], // pflag does not know this type's zero and shows "(default [])"
};

export const ip: FlagType<string> = {
  shownAs: "ip",
  parse(text, previous) {
    if (text === "") return previous;
    if (!isIpAddress(text.trim())) throw new FlagValueError(`failed to parse IP: ${goQuote(text)}`);
    return text.trim();
  },
  print: (value) => value,
  zeroText: ["<nil>"],
};

type StringMap = Readonly<Record<string, string>>;

/** key=value pairs; each further use adds to the map. */
export const stringMap: FlagType<StringMap> = {
  shownAs: "stringToString",
  parse(text, previous, isFirst) {
    const count = text.split("=").length - 1;
    if (count === 0) throw new FlagValueError(`${text} must be formatted as key=value`);
    const pairs = count === 1 ? [text.replace(/^"+|"+$/g, "")] : readCsv(text);
    const added = pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 0) throw new FlagValueError(`${pair} must be formatted as key=value`);
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    });
    return Object.fromEntries([...(isFirst ? [] : Object.entries(previous)), ...added]);
  },
  print: (value) =>
    `[${writeCsv(
      Object.keys(value)
        .sort()
        .map((key) => `${key}=${value[key]}`),
    )}]`,
  zeroText: [],
};

/** component:key=value pairs. Without a component the key is "". The order of values is kept. */
export type Multimap = Readonly<Record<string, readonly string[]>>;

export const multimap: FlagType<Multimap> = {
  shownAs: "colonSeparatedMultimapStringString",
  parse(text, previous, isFirst) {
    const result: Record<string, string[]> = {};
    if (!isFirst) for (const [key, values] of Object.entries(previous)) result[key] = [...values];
    for (const pair of text.split(",")) {
      if (pair === "") continue;
      const at = pair.indexOf(":");
      const key = at < 0 ? "" : pair.slice(0, at).trim();
      const value = pair.slice(at + 1).trim();
      result[key] = [...(result[key] ?? []), value];
    }
    return result;
  },
  print: (value) =>
    Object.keys(value)
      .sort()
      .flatMap((key) => (value[key] ?? []).map((item) => `${key}:${item}`))
      .join(","),
  zeroText: [""],
};

export interface NamedCertKey {
  readonly certFile: string;
  readonly keyFile: string;
  readonly names: readonly string[];
}

/** "cert,key" or "cert,key:name,name", repeatable. */
export const namedCertKeys: FlagType<readonly NamedCertKey[]> = {
  shownAs: "namedCertKey",
  parse(text, previous, isFirst) {
    const colon = text.indexOf(":");
    const files = (colon < 0 ? text : text.slice(0, colon)).trim();
    let names: readonly string[] = [];
    if (colon >= 0) {
      const list = text.slice(colon + 1).trim();
      if (list === "") throw new FlagValueError("empty names list is not allowed");
      names = list.split(",").map((name) => name.trim());
    }
    const parts = files.split(",");
    const [certFile, keyFile] = parts;
    if (parts.length !== 2 || certFile === undefined || keyFile === undefined) {
      throw new FlagValueError("expected comma separated certificate and key file paths");
    }
    const entry = { certFile: certFile.trim(), keyFile: keyFile.trim(), names };
    return isFirst ? [entry] : [...previous, entry];
  },
  print: (value) =>
    `[${value
      .map(({ certFile, keyFile, names }) => `${certFile},${keyFile}${names.length > 0 ? `:${names.join(",")}` : ""}`)
      .join(";")}]`,
  zeroText: [], // pflag does not know this type's zero either
};

/** klog's verbosity. */
export const level: FlagType<number> = {
  shownAs: "Level",
  parse: (text) => parseUnsigned(text, 31),
  print: String,
  zeroText: ["0"],
};

export interface ModuleLevel {
  readonly pattern: string;
  readonly level: number;
}

export const moduleLevels: FlagType<readonly ModuleLevel[]> = {
  shownAs: "pattern=N,...",
  parse(text, previous) {
    const added = text
      .split(",")
      .filter((part) => part !== "")
      .map((part) => {
        const [pattern, number, ...more] = part.split("=");
        if (!pattern || !number || more.length > 0) {
          throw new FlagValueError(`${goQuote(part)} does not have the pattern=N format`);
        }
        try {
          return { pattern, level: parseUnsigned(number, 31) };
        } catch (error) {
          throw new FlagValueError(`parsing verbosity in ${goQuote(part)}: ${errorMessage(error)}`);
        }
      });
    return [...previous, ...added];
  },
  print: (value) => value.map((item) => `${item.pattern}=${item.level}`).join(","),
  zeroText: [""],
};

export const quantity: FlagType<string> = {
  shownAs: "quantity",
  parse(text) {
    try {
      return parseQuantity(text).toString();
    } catch (error) {
      throw new FlagValueError(errorMessage(error));
    }
  },
  print: (value) => value,
  zeroText: ["0"],
};
