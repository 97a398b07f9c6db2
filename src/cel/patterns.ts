// Regular expressions like Go's: linear time, compiled once.

import { RE2JS } from "re2js";
import { RecentMap } from "#base/recent-map.ts";

const compiled = new RecentMap<string, RE2JS | string>(1024);

/** The expression, or Go's error text. */
export function compilePattern(pattern: string): RE2JS | string {
  let found = compiled.get(pattern);
  if (found === undefined) {
    found = compile(pattern);
    compiled.set(pattern, found);
  }
  return found;
}

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

/** Whether it matches anywhere. */
export function matchesPattern(pattern: RE2JS, text: string): boolean {
  return pattern.matcher(text).find();
}
