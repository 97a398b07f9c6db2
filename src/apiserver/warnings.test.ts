import { expect, it } from "vitest";
import { Warnings } from "./warnings.ts";

const headersOf = (...texts: string[]): readonly string[] => {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers;
};

it("quotes each warning, once", () => {
  expect(headersOf('a "b" \\c', "", 'a "b" \\c', "é漢🚢")).toEqual(['299 - "a \\"b\\" \\\\c"', '299 - "é漢🚢"']);
});

it("leaves out texts that are not valid in a header", () => {
  expect(headersOf("a\nb", "c\u0085", "d\u0000", "e")).toEqual(['299 - "e"']);
});

it("truncates all of them if they are too long in total, by characters and not by code units", () => {
  const long = "🚢".repeat(3000);
  expect(headersOf(long, "x".repeat(1096))).toEqual([`299 - "${long}"`, `299 - "${"x".repeat(1096)}"`]);
  expect(headersOf("short", long, "x".repeat(1100))).toEqual([
    '299 - "short"',
    `299 - "${"🚢".repeat(256)}"`,
    `299 - "${"x".repeat(256)}"`,
  ]);
});

it("accepts no more once the truncated ones are too long", () => {
  const texts = Array.from({ length: 40_000 }, (_, i) => `unknown field "spec.${String(i).padStart(5, "0")}"`);
  const headers = headersOf(...texts);
  // 157 warnings of 26 characters fit; the next one triggers the truncation, after which one more is allowed.
  expect(headers.length).toBe(158);
});
