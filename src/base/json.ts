// JSON text of values that may hold integers beyond 2^53 as bigints, which JSON.stringify refuses. Values without
// bigints use the native function alone.

// Available in Node from version 21; missing in TypeScript's library.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

const exact = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? rawJSON(String(value)) : value);

/** Like JSON.stringify, with bigints as integers. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    // Passing any second argument halves V8's speed.
    return indent === undefined ? JSON.stringify(value) : JSON.stringify(value, null, indent);
  } catch (error) {
    // A value without a bigint fails again with the same error.
    if (error instanceof TypeError) return JSON.stringify(value, exact, indent);
    throw error;
  }
}
