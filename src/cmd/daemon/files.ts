// The files that the program's own flags name: leader migration and metric allow-lists.

import { errorMessage } from "#base/errors.ts";
import type { LeaderMigrationConfig } from "#manager/options/config.ts";
import { defaultLeaderMigration, readLeaderMigration } from "#manager/options/leader-migration.ts";
import type { Manifest } from "#manager/options/metrics-options.ts";
import type { Options } from "#manager/options/options.ts";
import { readFileAsGo } from "#platform/https-server/serving-files.ts";

/** Undefined when leader migration is off. */
export async function readMigration(options: Options): Promise<LeaderMigrationConfig | undefined> {
  if (!options.config.Generic.LeaderMigrationEnabled) return undefined;
  const file = options.leaderMigrationConfigFile;
  if (file === "") return defaultLeaderMigration;
  let text: string;
  try {
    text = readFileAsGo(file);
  } catch (cause) {
    throw new Error(`unable to read leader migration configuration from "${file}": ${errorMessage(cause)}`, { cause });
  }
  const { parse } = await import("yaml");
  return readLeaderMigration(parse(text), text);
}

/** Undefined without --allow-metric-labels-manifest. */
export async function readManifest({ metrics }: Options): Promise<Manifest | undefined> {
  const file = metrics.allowLabelsManifest;
  if (file === "") return undefined;
  let text: string;
  try {
    text = readFileAsGo(file);
  } catch (error) {
    return { problem: `failed to read allow list manifest: ${errorMessage(error)}` };
  }
  try {
    const { parse } = await import("yaml");
    const lists: unknown = parse(text) ?? {};
    if (typeof lists !== "object") return { problem: "failed to parse allow list manifest: it is not a map" };
    return { lists: lists as Record<string, string> };
  } catch (error) {
    return { problem: `failed to parse allow list manifest: ${errorMessage(error)}` };
  }
}
