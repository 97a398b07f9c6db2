// One CSV record as Go's encoding/csv reads and writes it: list-valued flags are such records.

import { FlagValueError } from "./go-number.ts";

/** Fields of the first record. Quotes may enclose commas and doubled quotes. */
export function readCsv(text: string): string[] {
  if (text === "") return [];
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const { value, next } = readQuoted(text, at + 1);
      fields.push(value);
      at = next;
    } else {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? text.length : comma;
      const field = text.slice(at, end);
      const quote = field.indexOf('"');
      if (quote >= 0) throw parseError(at + quote, 'bare " in non-quoted-field');
      fields.push(field);
      at = end;
    }
    if (at >= text.length) return fields;
    at++; // the comma
  }
}

function readQuoted(text: string, start: number): { value: string; next: number } {
  let value = "";
  for (let at = start; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw parseError(text.length, 'extraneous or missing " in quoted-field');
    value += text.slice(at, quote);
    const after = text[quote + 1];
    if (after === '"') {
      value += '"';
      at = quote + 2;
    } else if (after === undefined || after === ",") {
      return { value, next: quote + 1 };
    } else {
      throw parseError(quote, 'extraneous or missing " in quoted-field');
    }
  }
}

function parseError(column: number, problem: string): FlagValueError {
  return new FlagValueError(`parse error on line 1, column ${column + 1}: ${problem}`);
}

export function writeCsv(fields: readonly string[]): string {
  return fields.map((field) => (needsQuotes(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",");
}

function needsQuotes(field: string): boolean {
  if (field === "") return false;
  return field === "\\." || /[",\r\n]/.test(field) || /^[\s]/.test(field);
}
