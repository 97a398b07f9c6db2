import { describe, expect, it } from "vitest";
import { hasFormat } from "./formats.ts";

const LONG = 60_000;
const FORMATS = [
  ...["bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5"],
  ...["isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "date", "duration"],
  ...["date-time", "k8s-short-name", "k8s-long-name"],
];
/** Texts that make ambiguous patterns try all alternatives. */
const HOSTILE = [
  ...["1", "0", "a", " ", "-", ".", ":", "/", "%", '"', "<", "@", "1 ", "a.", "1.", "a b", "0:", '"a" ', "a<", "\\"],
  ...["1h", "ff:", "a@", "AAAA", "=", "rgb( "],
].flatMap((part) => {
  const text = part.repeat(LONG / part.length);
  return [text, `${text}!`, `!${text}`, `1${text}\u0000`, `a@${text}!`, `rgb(1${text}`, `http://${text}\u0000`];
});

describe("formats of strings", () => {
  it.each(FORMATS)(
    "%s is decided in linear time",
    (format) => {
      for (const text of HOSTILE) expect(typeof hasFormat(format, text)).toBe("boolean");
    },
    30_000,
  );

  it.each([
    ["1 hour", true],
    ["3 weeks and 2 days", true],
    ["99999999999999999999 hours", false],
    ["1 hour 99999999999999999999 minutes", false],
    ["12", false],
    ["x12", false],
    ["12 x", false],
    ["12x 3 min", true],
  ])("duration %j: %s", (text, expected) => {
    expect(hasFormat("duration", text)).toBe(expected);
  });

  it.each([
    ["a@b", true],
    [" a.b@c.d ", true],
    ['"a b"@c', true],
    ["Anna <a@b>", true],
    ['"Anna B." C <a@b>', true],
    ["<a@b>", true],
    ["a", false],
    ["Anna a@b", false],
    ["a@b@c", false],
    [`${"a".repeat(60)}!`, false],
  ])("email %j: %s", (text, expected) => {
    expect(hasFormat("email", text)).toBe(expected);
  });
});
