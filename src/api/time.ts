// metav1.Time and MicroTime. On the wire they are text: RFC 3339 in UTC with whole seconds, or with
// exactly six digits. Code compares instants as EpochMs.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/time.go and micro_time.go; Go's time.Parse

import { civilFromSeconds, daysInMonth, secondsFromCivil } from "#api/civil-time.ts";
import { ValueError } from "#api/errors.ts";
import { quoteTimeText } from "#api/go-duration.ts";
import type { EpochMs } from "#base/clock.ts";

const two = (value: number): string => String(value).padStart(2, "0");

function dateAndTime(seconds: number): string {
  const { year, month, day, hour, minute, second } = civilFromSeconds(seconds);
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}

/** The last text: times within one second share it. */
let [lastSeconds, lastText] = [Number.NaN, ""];

/** metav1.Time: "2026-01-02T03:04:05Z". Fractions of a second are cut off. */
export function formatTime(instant: EpochMs): string {
  const seconds = Math.floor(instant / 1000);
  if (seconds !== lastSeconds) [lastSeconds, lastText] = [seconds, `${dateAndTime(seconds)}Z`];
  return lastText;
}

/** metav1.MicroTime: "2026-01-02T03:04:05.000006Z". */
export function formatMicroTime(instant: EpochMs): string {
  const micros = Math.round(instant * 1000);
  const seconds = Math.floor(micros / 1e6);
  return `${dateAndTime(seconds)}.${String(micros - seconds * 1e6).padStart(6, "0")}Z`;
}

const LAYOUT = "2006-01-02T15:04:05Z07:00";
const MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00";

/** Reads a metav1.Time as Go does: any zone offset, any number of digits below the second. */
export function parseTime(text: string): EpochMs {
  return parsePlainTime(text) ?? new TimeReader(text, LAYOUT).read();
}

const PLAIN = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/;

/** The form that servers write; undefined for other forms and values out of range. */
function parsePlainTime(text: string): EpochMs | undefined {
  if (text.length !== 20 || !PLAIN.test(text)) return undefined;
  const at = (index: number): number => text.charCodeAt(index) * 10 + text.charCodeAt(index + 1) - 528;
  const [year, month, day] = [at(0) * 100 + at(2), at(5), at(8)];
  const [hour, minute, second] = [at(11), at(14), at(17)];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  return secondsFromCivil(year, month, day, hour, minute, second) * 1000;
}

/** Reads a MicroTime: exactly six digits below the second, as upstream demands. */
export function parseMicroTime(text: string): EpochMs {
  return new TimeReader(text, MICRO_LAYOUT).read();
}

/** The instant of an optional timestamp of either form; undefined when it is missing or invalid. */
export function timeOrUndefined(text: string | null | undefined): EpochMs | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}

class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(): EpochMs {
    const year = this.#number(/^[0-9]{4}/, "2006");
    this.#literal("-");
    const month = this.#number(/^[0-9]{2}/, "01");
    if (month < 1 || month > 12) throw this.#outOfRange("month");
    this.#literal("-");
    const day = this.#number(/^[0-9]{2}/, "02");
    this.#literal("T");
    const hour = this.#number(/^[0-9]{1,2}/, "15", 23, "hour");
    this.#literal(":");
    const minute = this.#number(/^[0-9]{2}/, "04", 59, "minute");
    this.#literal(":");
    const second = this.#number(/^[0-9]{2}/, "05", 59, "second");
    const fraction = this.#fraction();
    const offset = this.#offsetSeconds();
    if (this.#rest !== "") throw this.#error(`: extra text: ${quoteTimeText(this.#rest)}`);
    if (day < 1 || day > daysInMonth(year, month)) throw this.#outOfRange("day");
    return (secondsFromCivil(year, month, day, hour, minute, second) - offset) * 1000 + fraction;
  }

  #number(pattern: RegExp, element: string, max = Number.POSITIVE_INFINITY, name = ""): number {
    const match = pattern.exec(this.#rest)?.[0];
    if (match === undefined) throw this.#cannotParse(element);
    this.#rest = this.#rest.slice(match.length);
    const value = Number(match);
    if (value > max) throw this.#outOfRange(name);
    return value;
  }

  #literal(char: string): void {
    if (!this.#rest.startsWith(char)) throw this.#cannotParse(char);
    this.#rest = this.#rest.slice(1);
  }

  /** Milliseconds. Digits below the microsecond, which an EpochMs cannot hold, are cut off. */
  #fraction(): number {
    const isMicro = this.#layout === MICRO_LAYOUT;
    const match = (isMicro ? /^[.,]([0-9]{6})/ : /^[.,]([0-9]+)/).exec(this.#rest);
    if (match === null && isMicro) throw this.#cannotParse(".000000");
    this.#rest = this.#rest.slice(match?.[0].length ?? 0);
    return Number((match?.[1] ?? "").slice(0, 6).padEnd(6, "0")) / 1e3;
  }

  #offsetSeconds(): number {
    if (this.#rest.startsWith("Z")) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(this.#rest);
    if (match === null) throw this.#cannotParse("Z07:00");
    const [hours, minutes] = [Number(match[2]), Number(match[3])];
    this.#rest = this.#rest.slice(6);
    if (hours > 24) throw this.#outOfRange("time zone offset hour");
    if (minutes > 60) throw this.#outOfRange("time zone offset minute");
    return (match[1] === "-" ? -1 : 1) * (hours * 3600 + minutes * 60);
  }

  #outOfRange(name: string): ValueError {
    return this.#error(`: ${name} out of range`);
  }

  #cannotParse(element: string): ValueError {
    const where = `cannot parse ${quoteTimeText(this.#rest)} as ${quoteTimeText(element)}`;
    return this.#error(` as ${quoteTimeText(this.#layout)}: ${where}`);
  }

  #error(what: string): ValueError {
    return new ValueError("time", `parsing time ${quoteTimeText(this.#text)}${what}`);
  }
}
