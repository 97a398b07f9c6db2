// Recordings of Go's manager on a real control plane, one per scenario, normalised and committed. With them, parity of
// writes is tested without Go. A recording is keyed by the played steps and the settings; when either changes, it is
// stale.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseExactJson } from "#api/json.ts";
import { stringifyJson } from "#base/json.ts";
import { casts } from "./casts.ts";
import type { Item, Section } from "./items.ts";
import { withSymbols } from "./normalise.ts";
import type { Play } from "./play.ts";
import { profiles } from "./profiles.ts";
import type { Scenario } from "./scenario.ts";

export interface Recording {
  readonly scenario: string;
  /** The hash of the steps and settings. */
  readonly steps: string;
  readonly sections: readonly RecordedSection[];
}

interface RecordedSection {
  readonly name: string;
  readonly items: readonly RecordedItem[];
}

/** Equal items are stored once, with a count. */
interface RecordedItem extends Item {
  readonly count?: number;
}

const NAME_CHARACTERS_MAX = 60;
const HASH_CHARACTERS = 6;
const scenariosFolder = join(import.meta.dirname, "..", "scenarios");

export function folderOf({ controller }: Scenario): string {
  return controller.replace(/-controller$/, "");
}

export function recordingFile(scenario: Scenario): string {
  const words = scenario.name.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(0, NAME_CHARACTERS_MAX);
  const hash = createHash("sha256").update(scenario.name).digest("hex").slice(0, HASH_CHARACTERS);
  return join(scenariosFolder, folderOf(scenario), "recorded", `${words}-${hash}.json`);
}

/** Recording files without a scenario. */
export function orphanedRecordings(scenarios: readonly Scenario[]): readonly string[] {
  const known = new Set(scenarios.map(recordingFile));
  const folders = new Set(scenarios.map((scenario) => dirname(recordingFile(scenario))));
  const files = [...folders].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [],
  );
  return files.filter((file) => !known.has(file));
}

export function readRecording(scenario: Scenario): Recording | undefined {
  const file = recordingFile(scenario);
  return existsSync(file) ? (parseExactJson(readFileSync(file, "utf8")) as Recording) : undefined;
}

export function writeRecording(scenario: Scenario, steps: string, sections: readonly Section[]): void {
  const file = recordingFile(scenario);
  mkdirSync(dirname(file), { recursive: true });
  const recorded = sections.filter(isRecorded).map(({ name, items }) => ({ name, items: counted(items) }));
  const recording: Recording = { scenario: scenario.name, steps, sections: recorded };
  writeFileSync(file, `${stringifyJson(recording, 1)}\n`);
}

/** The final objects and Events follow from the writes, so they are not recorded. */
export function isRecorded({ name }: Pick<Section, "name">): boolean {
  return /^(writes|reads) of (phase|Events)/.test(name);
}

/** The part of a play, or of a recording, that belongs to these identities. */
export function partOf(sections: readonly RecordedSection[], identities: ReadonlySet<string>): readonly Section[] {
  return sections.filter(isRecorded).map(({ name, items }) => ({
    name,
    items: items.flatMap(({ label, value, count = 1 }) =>
      identities.has(whoOf(label, value)) ? Array.from({ length: count }, () => ({ label, value })) : [],
    ),
  }));
}

/** The label of a write has the identity; a read has the user. */
function whoOf(label: string, value: unknown): string {
  const { who, agent } = (Array.isArray(value) ? value[0] : value) as { who: string; agent: string };
  const [labelled] = label.split(": ", 1);
  return Array.isArray(value) ? (labelled ?? "") : (who.split(":")[3] ?? agent.split("/").at(-1) ?? "");
}

function counted(items: readonly Item[]): readonly RecordedItem[] {
  const byText = new Map<string, { readonly item: Item; count: number }>();
  for (const item of items) {
    const text = stringifyJson(item);
    const known = byText.get(text);
    if (known === undefined) byText.set(text, { item, count: 1 });
    else known.count++;
  }
  const sorted = [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { item, count }]) => (count === 1 ? item : { ...item, count }));
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( \+0000 UTC|Z)/g;
const GENERATED = /-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
const VERSION = /"resourceVersion":"\d+"/g;

/** The hash of the scenario's steps and settings, without values that chance decides. */
export function hashOfSteps(scenario: Scenario, { steps, symbols }: Play, tag: string): string {
  const { cast, profile } = scenario;
  const lines = steps.map(({ phase, write: { verb, resource, namespace, name, body } }) =>
    withSymbols(
      [phase, verb, resource.group, resource.resource, namespace ?? "", name, stringifyJson(body) ?? ""].join(" "),
      symbols,
    )
      .replaceAll(tag, "{play}")
      .replaceAll(UUID, "{uid}")
      .replaceAll(TIME, "{time}")
      .replaceAll(VERSION, "{version}")
      .replaceAll(GENERATED, "-{?}"),
  );
  const settings = [casts[cast].flags ?? [], profiles[profile]];
  return createHash("sha256")
    .update(stringifyJson([lines, settings]))
    .digest("hex");
}
