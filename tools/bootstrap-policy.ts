// Reads the bootstrap roles and bindings of a real kube-apiserver, once with the default feature gates and once for
// each gate that they depend on, and its flow schemas and priority levels. Writes
// src/apiserver/generated/{bootstrap-policy,flow-control}.ts.
// `bun tools/bootstrap-policy.ts [folder]`: answers in the folder are reused.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { featureGateTable } from "#api/feature-gate-table.ts";
import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import {
  type BootstrapPolicy,
  bootstrapPolicyOf,
  type PolicyBinding,
  type PolicyEntry,
  type PolicyRole,
} from "#apiserver/rbac/policy-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { startControlPlane } from "#test/real/control-plane.ts";
import { moduleDir } from "#tools/generate/upstream.ts";

const GENERATED = join(import.meta.dirname, "..", "src", "apiserver", "generated");
const OUTPUT = join(GENERATED, "bootstrap-policy.ts");
const SOURCES = ["policy.go", "controller_policy.go"];
const AGGREGATES = "rbac.authorization.k8s.io/aggregate-to-";
const table = featureGateTable();

/** The gates of one run that differ from their defaults. */
type Settings = Readonly<Record<string, boolean>>;

interface Answer {
  readonly settings: Settings;
  readonly policy: BootstrapPolicy;
}

const stageOf = (gate: string) => table.gates[gate]?.at(-1);
const isOn = (gate: string): boolean => stageOf(gate)?.default === true;

function gatesOfPolicy(): string[] {
  const upstream = join(
    moduleDir("k8s.io/kubernetes"),
    "plugin",
    "pkg",
    "auth",
    "authorizer",
    "rbac",
    "bootstrappolicy",
  );
  const text = SOURCES.map((name) => readFileSync(join(upstream, name), "utf8")).join("\n");
  const gates = new Set([...text.matchAll(/Enabled\(\w+\.(\w+)\)/g)].map(([, gate = ""]) => gate));
  return [...gates].filter((gate) => stageOf(gate)?.lockToDefault !== true).sort();
}

/** The gate inverted, together with the gates that it needs or that need it. */
function settingsFor(gate: string): Settings {
  const settings: Record<string, boolean> = {};
  const add = (name: string, value: boolean): void => {
    settings[name] = value;
    const dependencies = Object.entries(table.dependencies ?? {});
    const others = value
      ? dependencies.flatMap(([dependent, needed]) => (dependent === name ? needed : []))
      : dependencies.flatMap(([dependent, needed]) => (needed.includes(name) ? [dependent] : []));
    for (const other of others) if (isOn(other) !== value && !(other in settings)) add(other, value);
  };
  add(gate, !isOn(gate));
  return settings;
}

async function ask(settings: Settings, folder: string): Promise<Answer> {
  const gates = Object.entries(settings).map(([gate, value]) => `${gate}=${value}`);
  const file = join(folder, `${gates.join(",") || "default"}.json`);
  if (!existsSync(file)) {
    process.stdout.write(`asking a server with ${gates.join(",") || "the default gates"}\n`);
    const plane = await startControlPlane({
      apiServerFlags: gates.length === 0 ? [] : [`--feature-gates=${gates.join(",")}`, "--runtime-config=api/all=true"],
    });
    const policy: Record<string, unknown> = {};
    for (const key of ["clusterRoles", "clusterRoleBindings", "roles", "roleBindings"]) {
      const path = `/apis/rbac.authorization.k8s.io/v1/${key.toLowerCase()}`;
      policy[key] = (JSON.parse((await plane.request("GET", path)).text) as { items: unknown }).items;
    }
    writeFileSync(file, JSON.stringify(policy));
    await plane.stop();
  }
  const policy = JSON.parse(readFileSync(file, "utf8")) as Record<string, readonly PolicyRole[]>;
  const given = Object.entries(policy).map(([key, objects]) => [key, objects.map(withoutSystemFields)]);
  return { settings, policy: Object.fromEntries(given) as BootstrapPolicy };
}

function withoutSystemFields({ metadata, ...object }: PolicyRole): PolicyRole {
  const { name, namespace, labels, annotations } = metadata ?? {};
  return { metadata: { name, ...(namespace && { namespace }), labels, annotations } as never, ...object };
}

/** Each object as text without its rules, with its rules as texts. */
function textsOf(policy: BootstrapPolicy): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const role of [...policy.clusterRoles, ...policy.roles]) {
    texts.set(JSON.stringify({ ...placeOf(role), ...marksOf(role) }), (role.rules ?? []).map(ruleText));
  }
  for (const binding of [...policy.clusterRoleBindings, ...policy.roleBindings]) {
    const { roleRef, subjects } = binding;
    const role = { kind: roleRef.kind, name: roleRef.name };
    texts.set(JSON.stringify({ ...placeOf(binding), role, ...(subjects && { subjects }) }), []);
  }
  return texts;
}

function placeOf({ metadata }: PolicyRole | PolicyBinding): { readonly name: string; readonly namespace?: string } {
  const { namespace, name = "" } = metadata ?? {};
  return { name, ...(namespace !== undefined && { namespace }) };
}

function marksOf(role: PolicyRole): Partial<PolicyEntry> {
  const partOf = Object.keys(role.metadata?.labels ?? {}).find((label) => label.startsWith(AGGREGATES));
  const [gathers] = Object.keys(role.aggregationRule?.clusterRoleSelectors?.[0]?.matchLabels ?? {});
  const roleOf = (label: string): string => label.slice(AGGREGATES.length);
  return { ...(partOf && { partOf: roleOf(partOf) }), ...(gathers && { gathers: roleOf(gathers) }) };
}

const ruleText = (rule: PolicyRule): string => JSON.stringify(rule);

/** Every text of every answer, in an order that is consistent with all of them. */
function allTexts(answers: readonly (readonly string[])[]): string[] {
  const merged: string[] = [];
  for (const texts of answers) {
    let at = 0;
    for (const text of texts) {
      const found = merged.indexOf(text);
      if (found < 0) merged.splice(at, 0, text);
      at = (found < 0 ? at : found) + 1;
    }
  }
  return merged;
}

/** The gates that decide whether an object or rule exists: those whose run differs from the default run. */
function conditionOf(
  isThere: (settings: Settings) => boolean,
  answers: readonly Answer[],
  gates: readonly string[],
): string | undefined {
  const isDefault = isThere({});
  const literals: string[] = [];
  for (const gate of gates) {
    const own = settingsFor(gate);
    if (isThere(own) === isDefault) continue;
    // The difference may come from a gate that this gate needs.
    const { [gate]: _, ...rest } = own;
    const isExplained = Object.keys(rest).some((other) => {
      const run = answers.find(({ settings }) => isDeepStrictEqual(settings, settingsFor(other)));
      return run !== undefined && isThere(run.settings) !== isDefault;
    });
    if (!isExplained) literals.push(isOn(gate) === isDefault ? gate : `!${gate}`);
  }
  return literals.length === 0 ? undefined : literals.join("&");
}

interface Configured {
  readonly metadata: {
    readonly name: string;
    readonly managedFields: readonly { operation: string; fieldsV1: object }[];
  };
  readonly spec: unknown;
}

/** The specs of flow schemas and priority levels by name, and the fields that the server owns. No gate changes them. */
async function askFlowControl(folder: string): Promise<string> {
  const file = join(folder, "flow-control.json");
  if (!existsSync(file)) {
    const plane = await startControlPlane();
    const fields: string[] = [];
    const indexOf = ({ metadata }: Configured): number => {
      const own = metadata.managedFields.find(({ operation }) => operation === "Update");
      const text = JSON.stringify(own?.fieldsV1);
      if (!fields.includes(text)) fields.push(text);
      return fields.indexOf(text);
    };
    const specsOf = async (resource: string): Promise<Record<string, unknown>> => {
      const { text } = await plane.request("GET", `/apis/flowcontrol.apiserver.k8s.io/v1/${resource}`);
      const { items } = JSON.parse(text) as { items: Configured[] };
      return Object.fromEntries(
        items.map((item) => [item.metadata.name, { spec: item.spec, fields: indexOf(item) }] as const),
      );
    };
    const flowSchemas = await specsOf("flowschemas");
    const priorityLevels = await specsOf("prioritylevelconfigurations");
    const known = fields.map((text) => JSON.parse(text) as object);
    writeFileSync(file, JSON.stringify({ flowSchemas, priorityLevels, fields: known }));
    await plane.stop();
  }
  return readFileSync(file, "utf8");
}

const [, , given] = process.argv;
const folder = given ?? mkdtempSync(join(tmpdir(), "bootstrap-policy-"));
mkdirSync(folder, { recursive: true });
const gates = gatesOfPolicy();
const answers = [await ask({}, folder)];
for (const gate of gates) answers.push(await ask(settingsFor(gate), folder));
const runs = answers.map(({ settings, policy }) => ({ settings, texts: textsOf(policy) }));
const textsIn = (settings: Settings): Map<string, string[]> =>
  runs.find((each) => isDeepStrictEqual(each.settings, settings))?.texts ?? new Map();
const objects = [...new Set(runs.flatMap(({ texts }) => [...texts.keys()]))].sort();
const entries = objects.map((object): PolicyEntry => {
  const when = conditionOf((settings) => textsIn(settings).has(object), answers, gates);
  const rulesWhen: Record<string, string> = {};
  const rules = allTexts(runs.map(({ texts }) => texts.get(object) ?? []));
  for (const [index, rule] of rules.entries()) {
    const isThere = (settings: Settings): boolean => textsIn(settings).get(object)?.includes(rule) === true;
    const own = conditionOf(isThere, answers, gates);
    if (own !== undefined && own !== when) rulesWhen[index] = own;
  }
  return {
    ...(JSON.parse(object) as PolicyEntry),
    ...(when !== undefined && { when }),
    ...(rules.length > 0 && { rules: rules.map((rule) => JSON.parse(rule) as PolicyRule) }),
    ...(Object.keys(rulesWhen).length > 0 && { rulesWhen }),
  };
});
for (const { settings, policy } of answers) {
  const set = new FeatureGates(table, "1.36");
  set.setFromMap(settings);
  const read = bootstrapPolicyOf(entries, { isEnabled: (gate) => set.isEnabled(gate) });
  for (const key of Object.keys(policy) as (keyof BootstrapPolicy)[]) {
    const sorted = (list: readonly PolicyRole[]): unknown =>
      JSON.parse(
        JSON.stringify([...list].sort((a, b) => (JSON.stringify(placeOf(a)) < JSON.stringify(placeOf(b)) ? -1 : 1))),
      );
    if (!isDeepStrictEqual(sorted(read[key] as PolicyRole[]), sorted(policy[key] as PolicyRole[]))) {
      throw new Error(`the table does not say what the server has: ${JSON.stringify(settings)} ${key}`);
    }
  }
}
const header = "// Generated by tools/bootstrap-policy.ts from a kube-apiserver v1.36.4; do not edit.\n\n";
const text = `[\n${entries.map((entry) => JSON.stringify(entry)).join(",\n")}\n]`;
writeFileSync(OUTPUT, `${header}export const BOOTSTRAP_POLICY: string = \`${text}\`;\n`);
process.stdout.write(`${OUTPUT}: ${objects.length} objects, ${text.length} bytes\n`);
const flowControl = join(GENERATED, "flow-control.ts");
const flowText = (await askFlowControl(folder)).replaceAll('},"', '},\n"');
writeFileSync(flowControl, `${header}export const FLOW_CONTROL: string = \`${flowText}\`;\n`);
process.stdout.write(`${flowControl}: ${flowText.length} bytes\n`);
process.exit(0);
