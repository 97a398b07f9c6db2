// Field selectors: terms "field=value" and "field!=value", ANDed.
// Upstream: k8s.io/apimachinery/pkg/fields/selector.go

import { ValueError } from "#api/errors.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Renames or rejects a term, as each resource does for its supported fields; both empty drops the term. */
export type TransformTerm = (field: string, value: string) => { readonly field: string; readonly value: string };

export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }
  /** A missing field counts as the empty string. */
  matches(fields: Readonly<Record<string, string>>): boolean {
    return this.requirements.every(({ field, operator, value }) => {
      const actual: unknown = fields[field];
      return ((typeof actual === "string" ? actual : "") === value) === (operator === "=");
    });
  }
  /** The single value that the selector requires of a field, if any. */
  requiredValue(field: string): string | undefined {
    return this.requirements.find((term) => term.field === field && term.operator === "=")?.value;
  }
  transform(transform: TransformTerm): FieldSelector {
    const renamed = this.requirements.map((term) => ({ ...term, ...transform(term.field, term.value) }));
    return new FieldSelector(renamed.filter(({ field, value }) => field !== "" || value !== ""));
  }
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
      .join(",");
  }
}

export const everyField: FieldSelector = new FieldSelector([]);

export function fieldEquals(field: string, value: string): FieldSelector {
  return new FieldSelector([{ field, operator: "=", value }]);
}

export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function unescapeFieldValue(text: string): string {
  let value = "";
  let isEscaped = false;
  for (const char of text) {
    if (isEscaped) {
      if (!"\\,=".includes(char)) throw invalid(`invalid escape sequence: \\${char}`);
      value += char;
      isEscaped = false;
    } else if (char === "\\") isEscaped = true;
    else if (char === "," || char === "=") throw invalid(`unescaped character in value: ${char.charCodeAt(0)}`);
    else value += char;
  }
  if (isEscaped) throw invalid("invalid escape sequence: \\");
  return value;
}

function invalid(what: string): ValueError {
  return new ValueError("fieldSelector", `invalid field selector: ${what}`);
}

/** Throws a ValueError. The empty text selects everything. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).sort();
  const requirements = terms
    .filter((term) => term !== "")
    .map((term): FieldRequirement => {
      const at = term.search(/!=|=/);
      if (at < 0) throw new ValueError("fieldSelector", `invalid selector: '${text}'; can't understand '${term}'`);
      const isNot = term[at] === "!";
      const width = isNot || term[at + 1] === "=" ? 2 : 1;
      const value = unescapeFieldValue(term.slice(at + width));
      return { field: term.slice(0, at), operator: isNot ? "!=" : "=", value };
    });
  // A term without field and value is dropped, as in upstream.
  return new FieldSelector(requirements.filter(({ field, value }) => field !== "" || value !== ""));
}

/** Splits at commas that are not escaped by a backslash. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\[\s\S]|[^\\,]|\\$)+/g) ?? [];
}
