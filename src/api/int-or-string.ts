// IntOrString: a number, or a percentage as text (or the name of a port, which is not handled here).
// Upstream: k8s.io/apimachinery/pkg/util/intstr

import { ValueError } from "#api/errors.ts";
import { goQuote, parseInt64 } from "#api/go-text.ts";

export type IntOrString = number | string;

/** The number, or the text parsed as one; 0 for other text, and the nearest int64 for a larger number. */
export function intValue(value: IntOrString): number {
  if (typeof value === "number") return value;
  const parsed = parseInt64(value, "Atoi");
  return Number("value" in parsed ? parsed.value : parsed.nearest);
}

/**
 * A number is returned unchanged, a percentage as its share of total. Text without "%" is an error.
 * Upstream: GetScaledValueFromIntOrPercent
 */
export function scaledValue(value: IntOrString | undefined, total: number, roundUp: boolean): number {
  if (value === undefined) throw new ValueError("intOrString", "nil value for IntOrString");
  if (typeof value === "number") return value;
  if (!value.endsWith("%")) throw invalid("invalid type: string is not a percentage");
  const percent = parseInt64(value.slice(0, -1), "Atoi");
  if ("error" in percent) throw invalid(`invalid value ${goQuote(value)}: ${percent.error}`);
  const share = (Number(percent.value) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

function invalid(why: string): ValueError {
  return new ValueError("intOrString", `invalid value for IntOrString: ${why}`);
}
