// Conversions between types: int("3"), string(1.5), timestamp(...) and their siblings.
// Upstream: github.com/google/cel-go/common/types, ConvertToType

import { ValueError } from "#api/errors.ts";
import { parseDuration } from "#api/go-duration.ts";
import { parseInt64 } from "#api/go-text.ts";
import { goDouble } from "#api/patch/go-format.ts";
import { type Cidr, cidrText, type Ip, ipText } from "./addresses.ts";
import { formatSeconds, formatTimestamp, MAX_SECONDS, MIN_SECONDS, parseTimestamp } from "./times.ts";
import { CelError, Duration, noOverload, Opaque, Timestamp, typeName, Uint, type Value } from "./values.ts";

const GIGA = 1_000_000_000n;

const refuse = (value: Value, type: string): never => {
  throw new CelError(`type conversion error from '${typeName(value)}' to '${type}'`);
};

export const int64 = (value: bigint): bigint => {
  if (BigInt.asIntN(64, value) !== value) throw new CelError("integer overflow");
  return value;
};

export const uint64 = (value: bigint): Uint => {
  if (value < 0n || value >= 1n << 64n) throw new CelError("unsigned integer overflow");
  return new Uint(value);
};

export const durationOf = (nanos: bigint): Duration => {
  if (BigInt.asIntN(64, nanos) !== nanos) throw new CelError("duration overflow");
  return new Duration(nanos);
};

export const timestampOf = (nanos: bigint): Timestamp => {
  const seconds = nanos < 0n ? (nanos - GIGA + 1n) / GIGA : nanos / GIGA;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) throw new CelError("timestamp overflow");
  return new Timestamp(nanos);
};

function toInt(value: Value): Value {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return int64(value.value);
  if (typeof value === "number") {
    if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new CelError("integer overflow");
    return BigInt(Math.trunc(value));
  }
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return (value.nanos - (((value.nanos % GIGA) + GIGA) % GIGA)) / GIGA;
  if (typeof value !== "string") return noOverload();
  const parsed = /^[+-]?\d/.test(value) ? parseInt64(value) : undefined;
  return parsed !== undefined && "value" in parsed ? parsed.value : refuse(value, "int");
}

function toUint(value: Value): Value {
  if (value instanceof Uint) return value;
  if (typeof value === "bigint") return uint64(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) throw new CelError("unsigned integer overflow");
    return new Uint(BigInt(Math.trunc(value)));
  }
  if (typeof value !== "string") return noOverload();
  const isValid = /^\d+$/.test(value) && BigInt(value) < 1n << 64n;
  return isValid ? new Uint(BigInt(value)) : refuse(value, "uint");
}

const FLOAT = /^[+-]?(?:\d+(?:_?\d)*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/;

function toDouble(value: Value): Value {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== "string") return noOverload();
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(value);
  if (special !== null) {
    if (special[2]?.toLowerCase() === "nan") return special[1] === "" ? Number.NaN : refuse(value, "double");
    return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const number = FLOAT.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : refuse(value, "double");
}

export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return doubleText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return formatSeconds(value.nanos);
  if (value instanceof Timestamp) return formatTimestamp(value.nanos);
  if (value instanceof Uint8Array) {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
    } catch (error) {
      // The decoder throws this for invalid UTF-8.
      if (!(error instanceof TypeError)) throw error;
      throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
    }
  }
  if (value instanceof Opaque && value.type === "net.IP") return ipText(value.value as Ip);
  if (value instanceof Opaque && value.type === "net.CIDR") return cidrText(value.value as Cidr);
  return noOverload();
}

export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return goDouble(value);
}

const BOOLS: Readonly<Record<string, boolean>> = {
  __proto__: null as never,
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

function toBool(value: Value): Value {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return noOverload();
  return BOOLS[value] ?? refuse(value, "bool");
}

function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value === "bigint") return new Duration(value);
  if (typeof value !== "string") return noOverload();
  try {
    return durationOf(parseDuration(value));
  } catch (error) {
    if (error instanceof ValueError) return refuse(value, "google.protobuf.Duration");
    throw error;
  }
}

function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") return timestampOf(value * GIGA);
  if (typeof value !== "string") return noOverload();
  const nanos = parseTimestamp(value);
  return nanos === undefined ? refuse(value, "google.protobuf.Timestamp") : timestampOf(nanos);
}

export const CONVERSIONS: Readonly<Record<string, (value: Value) => Value>> = {
  __proto__: null as never,
  int: toInt,
  uint: toUint,
  double: toDouble,
  string: toText,
  bool: toBool,
  bytes: (value) =>
    value instanceof Uint8Array ? value : typeof value === "string" ? new TextEncoder().encode(value) : noOverload(),
  duration: toDuration,
  timestamp: toTimestamp,
  dyn: (value) => value,
};
