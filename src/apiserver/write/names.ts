// The default validation of object names.

import { isDns1123Subdomain } from "#api/names.ts";

/** A trailing dash of a prefix is allowed, since it will not be the last character. */
export function nameIsDnsSubdomain(name: string, isPrefix: boolean): string[] {
  return isDns1123Subdomain(isPrefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -1)}a` : name);
}
