// Go's time.Duration: int64 nanoseconds, parsed and printed exactly like Go. Code that waits uses milliseconds; flags,
// configuration and messages use this text.

import { ValueError } from "#api/errors.ts";

/** Nanoseconds, within int64. */
export type GoDuration = bigint;

export const MICROSECOND = 1_000n;
export const MILLISECOND = 1_000_000n;
export const SECOND = 1_000_000_000n;
export const MINUTE: bigint = 60n * SECOND;
export const HOUR: bigint = 60n * MINUTE;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", MICROSECOND],
  ["\u00b5s", MICROSECOND],
  ["\u03bcs", MICROSECOND],
  ["ms", MILLISECOND],
  ["s", SECOND],
  ["m", MINUTE],
  ["h", HOUR],
]);

const LIMIT = 2n ** 63n;
const TERM = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y;

/** Throws a ValueError with Go's text. */
export function parseDuration(text: string): GoDuration {
  const isNegative = text.startsWith("-");
  const body = isNegative || text.startsWith("+") ? text.slice(1) : text;
  if (body === "0") return 0n;
  if (body === "") throw invalid("invalid duration", text);
  let total = 0n;
  for (let at = 0; at < body.length; at = TERM.lastIndex) {
    TERM.lastIndex = at;
    total += parseTerm(TERM.exec(body) ?? [], text);
    if (total > LIMIT) throw invalid("invalid duration", text);
  }
  if (isNegative) return BigInt.asIntN(64, -total);
  if (total === LIMIT) throw invalid("invalid duration", text);
  return total;
}

function parseTerm([, whole = "", fraction = "", unitText = ""]: readonly string[], text: string): bigint {
  if (whole === "" && fraction === "") throw invalid("invalid duration", text);
  const significant = whole.replace(/^0+/, "");
  // More digits than an int64 has need no arithmetic.
  const count = significant.length > 19 ? LIMIT + 1n : BigInt(significant);
  if (count > LIMIT) throw invalid("invalid duration", text);
  if (unitText === "") throw invalid("missing unit in duration", text);
  const unit = UNITS.get(unitText);
  if (unit === undefined) throw invalid(`unknown unit ${quoteTimeText(unitText)} in duration`, text);
  if (count > LIMIT / unit) throw invalid("invalid duration", text);
  const nanoseconds = count * unit + fractionOf(fraction, Number(unit));
  if (nanoseconds > LIMIT) throw invalid("invalid duration", text);
  return nanoseconds;
}

// Go reads as many digits as fit an int64 and scales them in floating point.
function fractionOf(digits: string, unit: number): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (LIMIT - 1n) / 10n || next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (unit / scale)));
}

function invalid(what: string, text: string): ValueError {
  return new ValueError("duration", `time: ${what} ${quoteTimeText(text)}`);
}

// The time package has a special quoting: unlike strconv's it escapes all non-ASCII characters, byte by byte.
export function quoteTimeText(text: string): string {
  const escaped = [...new TextEncoder().encode(text)].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === "\\") return `\\${char}`;
    return byte < 0x20 || byte >= 0x80 ? `\\x${byte.toString(16).padStart(2, "0")}` : char;
  });
  return `"${escaped.join("")}"`;
}

export function formatDuration(duration: GoDuration): string {
  if (duration === 0n) return "0s";
  if (duration < 0n) return `-${formatDuration(-duration)}`;
  if (duration < MICROSECOND) return `${duration}ns`;
  if (duration < MILLISECOND) return `${decimal(duration, 3)}\u00b5s`;
  if (duration < SECOND) return `${decimal(duration, 6)}ms`;
  const seconds = `${decimal(duration % MINUTE, 9)}s`;
  const minutes = duration / MINUTE;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return `${hours === 0n ? "" : `${hours}h`}${minutes % 60n}m${seconds}`;
}

/** value / 10^places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (fraction === "" ? "" : `.${fraction}`);
}

/** Milliseconds, with a fraction where there is one. */
export function durationMs(duration: GoDuration): number {
  return Number(duration) / 1e6;
}

/** The duration of this many milliseconds, to the nanosecond. */
export function durationOfMs(ms: number): GoDuration {
  const whole = Math.trunc(ms);
  return BigInt(whole) * MILLISECOND + BigInt(Math.round((ms - whole) * 1e6));
}
