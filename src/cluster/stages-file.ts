// Stages: rules for pods and nodes, in a file of YAML documents or as an object. Errors name the file, document and
// field.

import { durationMs, parseDuration } from "#api/go-duration.ts";
import type { Selector } from "#api/label-selector.ts";
import { parseLabelSelector } from "#api/label-selector-parser.ts";
import { errorMessage } from "#base/errors.ts";
import { annotationOf, BadBehaviour, behaviourFields, behaviourOf } from "#nodes/behaviour.ts";
import type { Outage } from "#nodes/outages.ts";
import type { NodeRule, PodRule, Stages, StagesSpec } from "#nodes/stages.ts";
import { ManifestError, readDocuments } from "./manifests.ts";

const NODE_TIMES = ["fails-at", "returns-at", "partitioned-at", "heals-at"] as const;

/** The error of one field. */
class FieldProblem extends Error {
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
  }
}

/** An object, or the text of a file. Throws a ManifestError. */
export function readStagesOption(given: StagesSpec | string): Stages {
  if (typeof given === "string") return readStages("stages", given);
  try {
    return stagesIn(given, "stages");
  } catch (error) {
    if (error instanceof FieldProblem) throw new ManifestError([`stages: ${error.message}`]);
    throw error;
  }
}

/** Throws a ManifestError. */
export function readStages(file: string, text: string): Stages {
  const documents = readDocuments(file, text, (value, place) => [stagesIn(value, place)]);
  return { pods: documents.flatMap(({ pods }) => pods), nodes: documents.flatMap(({ nodes }) => nodes) };
}

function stagesIn(value: unknown, place: string): Stages {
  const fields = fieldsOf(value, "the document");
  refuseUnknown(fields, ["pods", "nodes"], "");
  const problems: string[] = [];
  const rules = <T>(list: string, read: (rule: unknown, path: string) => T): readonly T[] =>
    rulesIn(fields, list).flatMap((rule, index) => {
      try {
        return [read(rule, `${list}[${index}]`)];
      } catch (error) {
        if (!(error instanceof FieldProblem)) throw error;
        problems.push(`${place}: ${error.message}`);
        return [];
      }
    });
  const stages = { pods: rules("pods", podRule), nodes: rules("nodes", nodeRule) };
  if (problems.length > 0) throw new ManifestError(problems);
  return stages;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FieldProblem(path, "must be a map of fields");
  }
  return value as Fields;
}

function rulesIn(fields: Fields, list: string): readonly unknown[] {
  const rules = fields[list] ?? [];
  if (!Array.isArray(rules)) throw new FieldProblem(list, "must be a list of rules");
  return rules;
}

function refuseUnknown(fields: Fields, known: readonly string[], path: string): void {
  const unknown = Object.keys(fields).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new FieldProblem(`${path}${unknown}`, `unknown field; known are ${known.join(", ")}`);
  }
}

function podRule(value: unknown, path: string): PodRule {
  const fields = fieldsOf(value, path);
  refuseUnknown(fields, ["namespace", "selector", ...behaviourFields], `${path}.`);
  const annotations = Object.fromEntries(
    behaviourFields.flatMap((field) => {
      const text = textOf(fields, field, path);
      return text === undefined ? [] : [[annotationOf(field), text]];
    }),
  );
  try {
    behaviourOf({ metadata: { annotations } }, 0);
  } catch (error) {
    if (error instanceof BadBehaviour) throw new FieldProblem(`${path}.${error.field}`, error.problem);
    throw error;
  }
  const namespace = textOf(fields, "namespace", path);
  return { ...(namespace === undefined ? {} : { namespace }), selector: selectorOf(fields, path), annotations };
}

function nodeRule(value: unknown, path: string): NodeRule {
  const fields = fieldsOf(value, path);
  refuseUnknown(fields, ["name", "selector", ...NODE_TIMES], `${path}.`);
  const name = textOf(fields, "name", path);
  const outages = [
    ...outageOf(fields, path, "fails-at", "returns-at", true),
    ...outageOf(fields, path, "partitioned-at", "heals-at", false),
  ];
  return { ...(name === undefined ? {} : { name }), selector: selectorOf(fields, path), outages };
}

type NodeTime = (typeof NODE_TIMES)[number];

function outageOf(
  fields: Fields,
  path: string,
  from: NodeTime,
  to: NodeTime,
  losesContainers: boolean,
): readonly Outage[] {
  const fromMs = timeOf(fields, from, path);
  const toMs = timeOf(fields, to, path);
  if (fromMs === undefined) {
    if (toMs !== undefined) throw new FieldProblem(`${path}.${to}`, `needs ${from}`);
    return [];
  }
  if (toMs !== undefined && toMs <= fromMs) throw new FieldProblem(`${path}.${to}`, `must be later than ${from}`);
  return [{ fromMs, ...(toMs === undefined ? {} : { toMs }), losesContainers }];
}

function timeOf(fields: Fields, field: NodeTime, path: string): number | undefined {
  const text = textOf(fields, field, path);
  if (text === undefined) return undefined;
  let ms: number;
  try {
    ms = durationMs(parseDuration(text));
  } catch (error) {
    throw new FieldProblem(`${path}.${field}`, errorMessage(error));
  }
  if (ms < 0) throw new FieldProblem(`${path}.${field}`, `must not be negative: "${text}"`);
  return ms;
}

function selectorOf(fields: Fields, path: string): Selector {
  try {
    return parseLabelSelector(textOf(fields, "selector", path) ?? "");
  } catch (error) {
    if (error instanceof FieldProblem) throw error;
    throw new FieldProblem(`${path}.selector`, errorMessage(error));
  }
}

/** Numbers and booleans need no quotes. */
function textOf(fields: Fields, field: string, path: string): string | undefined {
  const value = fields[field];
  if (value === undefined) return undefined;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new FieldProblem(`${path}.${field}`, "must be a text, a number, true or false");
}
