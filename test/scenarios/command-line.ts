// The component configuration of a command line.

import { readCommandLine } from "#manager/command.ts";
import type { ComponentConfig } from "#manager/options/config.ts";

export function configOf(...args: readonly string[]): ComponentConfig {
  const verdict = readCommandLine(args, 0);
  if (verdict.kind !== "run") throw new Error(JSON.stringify(verdict));
  return verdict.command.options.config;
}
