// String formats in schemas. Dashes in names are ignored.
// Upstream: k8s.io/kube-openapi/pkg/validation/strfmt; apiextensions-apiserver/pkg/apiserver/validation/formats.go

import { ValueError } from "#api/errors.ts";
import { parseDuration } from "#api/go-duration.ts";
import { byteLength } from "#api/go-text.ts";
import { parseSloppyCidr, parseSloppyIp } from "#rules/ip.ts";
import { parseRequestUri } from "./go-url.ts";

type FormatCheck = (text: string) => boolean;

const byPattern =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const COLOR = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const RGB_COLOR = new RegExp(`^rgb\\(\\s*${COLOR}\\s*,\\s*${COLOR}\\s*,\\s*${COLOR}\\s*\\)$`);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const CHECKS: Readonly<Record<string, FormatCheck>> = {
  __proto__: null as never,
  bsonobjectid: byPattern(/^[0-9a-fA-F]{24}$/),
  uri: (text) => parseRequestUri(text) !== undefined,
  email: isEmail,
  hostname: (text) =>
    byteLength(text) <= 255 && HOSTNAME.test(text) && text.split(".").every((part) => byteLength(part) <= 63),
  ipv4: (text) => parseSloppyIp(text) !== undefined && text.includes("."),
  // Unlike ipv4, this one refuses leading zeros in an embedded IPv4 address.
  ipv6: (text) => text.includes(":") && parseSloppyIp(text) !== undefined && !/(^|[:.])0\d+\./.test(text),
  cidr: (text) => parseSloppyCidr(text) !== undefined,
  mac: isMac,
  uuid: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: byPattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => byteLength(text) === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: byPattern(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: byPattern(RGB_COLOR),
  byte: byPattern(BASE64),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && SHORT_NAME.test(text),
  k8slongname: (text) => text.length <= 253 && LONG_NAME.test(text),
};

const checkOf = (format: string): FormatCheck | undefined => CHECKS[format.replaceAll("-", "")];

/** The format for a schema with this type; others are ignored. `type`: "" without a type or with several. */
export function recognizedFormat(type: string, format: string | undefined): string {
  if (format === undefined || format === "") return "";
  switch (type) {
    case "":
    case "string":
      return checkOf(format) === undefined ? "" : format;
    case "integer":
      return format === "int32" || format === "int64" ? format : "";
    case "number":
      return format === "float" || format === "double" ? format : "";
    default:
      return "";
  }
}

/** Undefined: unknown format. */
export function hasFormat(format: string, text: string): boolean | undefined {
  return checkOf(format)?.(text);
}

export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= ([31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number);
}

export function isDateTime(text: string): boolean {
  if (text.length < 4) return false;
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|([+-]\d{2}:\d{2}))$/.exec(time);
  return match !== null && (match[1] ?? "") <= "23" && (match[2] ?? "") <= "59" && (match[3] ?? "") <= "59";
}

const UNITS = ["ns|nano", "us|µs|micro", "ms|milli", "s|sec", "m|min", "h|hr|hour", "d|day", "w|wk|week"].map((unit) =>
  unit.split("|"),
);

export function isDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch (error) {
    // It may still be in Scala's form.
    if (!(error instanceof ValueError)) throw error;
  }
  let hasUnit = false;
  // A match begins only at the start of a number: without the first condition long numbers would take quadratic time.
  for (const [, number = "", unit = ""] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    if (!fitsInt64(number)) return false;
    const name = unit.toLowerCase();
    hasUnit ||= UNITS.some((names) => names.includes(name) || name.startsWith(names.at(-1) as string));
  }
  return hasUnit;
}

function fitsInt64(digits: string): boolean {
  const significant = digits.replace(/^0+/, "");
  return significant.length < 19 || (significant.length === 19 && significant <= "9223372036854775807");
}

function isMac(text: string): boolean {
  const hex = "[0-9a-fA-F]";
  return [6, 8, 20].some(
    (bytes) =>
      new RegExp(`^${hex}{2}(:${hex}{2}){${bytes - 1}}$`).test(text) ||
      new RegExp(`^${hex}{2}(-${hex}{2}){${bytes - 1}}$`).test(text) ||
      new RegExp(`^${hex}{4}(\\.${hex}{4}){${bytes / 2 - 1}}$`).test(text),
  );
}

const ATOM = "A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u0080-\\uffff";
// Each pattern matches a text in only one way: otherwise it could take exponential time.
const DOTTED = `[${ATOM}]+(?:\\.[${ATOM}]+)*`;
const ADDRESS = `(?:${DOTTED}|"[^"\\\\\\r\\n]*(?:\\\\.[^"\\\\\\r\\n]*)*")@(?:${DOTTED}|\\[[^\\[\\]\\\\]+\\])`;
const PLAIN_EMAIL = new RegExp(`^\\s*${ADDRESS}\\s*$`);
const NAMED_EMAIL = new RegExp(`^[${ATOM}\\s]*(?:"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"[${ATOM}\\s]*)*<${ADDRESS}>\\s*$`);

/** Close to Go's net/mail: a plain address, or a name before one in angle brackets. */
function isEmail(text: string): boolean {
  return PLAIN_EMAIL.test(text) || NAMED_EMAIL.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += (i + 1) * Number(digits[i]);
  sum += 10 * (digits[9] === "X" ? 10 : Number(digits[9]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const counted = i % 2 === 0 ? digit : digit * 2;
    sum += counted >= 10 ? (counted % 10) + 1 : counted;
  }
  return sum % 10 === 0;
}
