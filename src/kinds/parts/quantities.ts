// Parses quantities for checks. Decoding has already refused invalid ones.

import type { Quantity } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";

export type WireAmounts = Readonly<Record<string, string>>;

export const amount = (text: string): Quantity => quantityFromWire(text);
export const signOf = (text: string): -1 | 0 | 1 => amount(text).sign;
