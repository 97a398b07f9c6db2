// Prints an object like spew prints the Go struct into which upstream decodes it: type names, field order, zero values,
// nil or empty, and the internals of quantities and times. Hashes are computed from this text, so every character
// matters.
//
// Go prints a time inside an object with the local zone; here it is always UTC, as in upstream's images, which have no
// zone files.
// Upstream: k8s.io/utils/dump, ForHash; github.com/davecgh/go-spew/spew/format.go

import { decodeBase64 } from "#api/base64.ts";
import type { GoField, GoStruct, GoType, OpaqueType } from "#api/go-layout.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { parseTime } from "#api/time.ts";
import { assert } from "#base/assert.ts";
import { stringifyJson } from "#base/json.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** The text of a value together with its type. */
export function dumpForHash(type: GoType, value: unknown): string {
  return `(${type.name})${dumpValue(type, value)}`;
}

/** Types are left out of list elements, map keys and map values. */
function dumpValue(type: GoType, value: unknown): string {
  if (value === undefined || value === null) return zeroText(type);
  switch (type.kind) {
    case "struct":
      return dumpStruct(type, value as JsonObject);
    case "pointer":
      return dumpValue(type.elem, value);
    case "slice": {
      const items: readonly unknown[] = typeof value === "string" ? [...decodeBase64(value)] : (value as unknown[]);
      return `[${items.map((item) => dumpValue(type.elem, item)).join(" ")}]`;
    }
    case "map": {
      const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b));
      return `map[${entries.map(([key, item]) => `${key}:${dumpValue(type.elem, item)}`).join(" ")}]`;
    }
    case "opaque":
      return dumpOpaque(type.opaque, value);
    default:
      return String(value);
  }
}

const zeroTexts = new Map<GoType, string>();

function zeroText(type: GoType): string {
  const known = zeroTexts.get(type);
  if (known !== undefined) return known;
  const text = makeZeroText(type);
  zeroTexts.set(type, text);
  return text;
}

function makeZeroText(type: GoType): string {
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return "false";
    case "pointer":
    case "slice":
    case "map":
      return "<nil>";
    case "struct":
      return dumpStruct(type, {});
    case "opaque":
      return dumpOpaque(type.opaque, undefined);
    default:
      return "0";
  }
}

interface StructPlan {
  readonly fields: readonly { readonly field: GoField; readonly label: string; readonly absent: string }[];
}

const structPlans = new Map<GoStruct, StructPlan>();

function planOf(struct: GoStruct): StructPlan {
  let plan = structPlans.get(struct);
  if (plan === undefined) {
    const fields = struct.fields.map((field) => {
      const label = `${field.goName}:(${field.type.name})`;
      return { field, label, absent: label + zeroText(field.type) };
    });
    plan = { fields };
    structPlans.set(struct, plan);
  }
  return plan;
}

function dumpStruct(struct: GoStruct, object: JsonObject): string {
  let text = "{";
  for (const { field, label, absent } of planOf(struct).fields) {
    if (text.length > 1) text += " ";
    const value = field.inline ? object : object[field.jsonName];
    text += value === undefined || value === null ? absent : label + dumpValue(field.type, value);
  }
  return `${text}}`;
}

function dumpOpaque(opaque: OpaqueType, value: unknown): string {
  switch (opaque) {
    case "Quantity":
      return dumpQuantity(value as string | number | undefined);
    case "Time":
    case "MicroTime":
      return `{Time:(time.Time)${dumpTime(value as string | undefined)}}`;
    case "IntOrString":
      return typeof value === "string"
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${value ?? 0} StrVal:(string)}`;
    case "FieldsV1":
      return `{Raw:([]uint8)${value === undefined ? "<nil>" : `[${new TextEncoder().encode(stringifyJson(value)).join(" ")}]`}}`;
    default:
      // Upstream hashes no free-form JSON.
      assert(false, `no dump of ${opaque}`);
  }
}

function dumpQuantity(value: string | number | undefined): string {
  const { unscaled, scale, isDecimal, format, text } = quantityFromWire(value).representation();
  const small = isDecimal ? dumpAmount(0n, 0) : dumpAmount(unscaled, scale);
  const large = isDecimal ? dumpDecimal(unscaled, -scale) : "<nil>";
  const kept = value === undefined ? "" : String(value).trim() === "0" ? "0" : (text ?? "");
  return (
    `{i:(resource.int64Amount)${small} d:(resource.infDecAmount){Dec:(*inf.Dec)${large}} ` +
    `s:(string)${kept} Format:(resource.Format)${value === undefined ? "" : format}}`
  );
}

function dumpAmount(value: bigint, scale: number): string {
  return `{value:(int64)${value} scale:(resource.Scale)${scale}}`;
}

function dumpDecimal(unscaled: bigint, scale: number): string {
  const words: bigint[] = [];
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest >>= 64n) words.push(BigInt.asUintN(64, rest));
  const magnitude = words.length === 0 ? "<nil>" : `[${words.join(" ")}]`;
  return `{unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)${magnitude}} scale:(inf.Scale)${scale}}`;
}

/** Seconds from the year 1, Go's zero time, to 1970. */
const ZERO_TIME_SECONDS = 62_135_596_800;
const UTC_LOCATION =
  "{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) " +
  "cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}";

function dumpTime(text: string | undefined): string {
  const ms = text === undefined ? undefined : parseTime(text);
  if (text === undefined || ms === undefined || ms === -ZERO_TIME_SECONDS * 1000) {
    return "{wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}";
  }
  const seconds = Math.floor(ms / 1000);
  const nanos = Number((/\.(\d+)/.exec(text)?.[1] ?? "").padEnd(9, "0").slice(0, 9));
  return `{wall:(uint64)${nanos} ext:(int64)${seconds + ZERO_TIME_SECONDS} loc:(*time.Location)${UTC_LOCATION}}`;
}

/** Go compares bytes: beyond the basic plane this differs from the order of UTF-16 code units. */
function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return surrogatesLast(left) - surrogatesLast(right);
  }
  return a.length - b.length;
}

function surrogatesLast(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
