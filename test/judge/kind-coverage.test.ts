// Every kind that the API server serves, in every version, has a complete row (kind-row.ts). Kinds that are answered
// and never stored have separate cases.

import { expect, it } from "vitest";
import { type BuiltinResource, builtinResources } from "#api/resource-table.ts";
import { groupResourceText } from "#api/status-error.ts";
import { builtinKind } from "#kinds/builtin-kinds.ts";
import { neverStored } from "#kinds/strategy.ts";
import { places } from "./fuzz-kinds.ts";
import type { RowCase } from "./kind-row.ts";
import { suites } from "./suites.ts";

const cases = Object.values(suites).flat();
const rows = [...new Set(cases.flatMap((each) => ("row" in each ? [(each as RowCase).row] : [])))];

const apiVersionOf = ({ group, version }: BuiltinResource): string => (group === "" ? version : `${group}/${version}`);
const isStored = (resource: BuiltinResource): boolean =>
  builtinKind(groupResourceText(resource))?.strategy !== neverStored;

function lacksOf(resource: BuiltinResource): readonly string[] {
  const shown = `${apiVersionOf(resource)} ${resource.resource}`;
  const row = rows.find((each) => each.apiVersion === apiVersionOf(resource) && each.resource === resource.resource);
  if (row === undefined) return [`${shown}: no row`];
  const hasStatus = resource.subresources.some(({ name }) => name === "status");
  const lacks: readonly (readonly [isWhole: boolean, what: string])[] = [
    [row.invalid.length >= 5, "five invalid objects"],
    [row.updates.length > 0, "updates"],
    [!hasStatus || row.status !== undefined, "a status"],
    [row.patches.strategic !== undefined, "a strategic merge patch"],
  ];
  return lacks.flatMap(([isWhole, what]) => (isWhole ? [] : [`${shown}: ${what}`]));
}

it("judges every stored kind in every version: defaults, refusals, updates, status, patches, apply, tables, deletes", () => {
  expect(builtinResources().filter(isStored).flatMap(lacksOf)).toEqual([]);
});

it("judges every kind that is answered and never stored", () => {
  const targets = cases.flatMap(({ steps }) => steps.map(({ target }) => target));
  const isAsked = ({ group, version, resource }: BuiltinResource): boolean => {
    const root = group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`;
    return targets.some((target) => target.startsWith(root) && target.split(/[/?]/).includes(resource));
  };
  const answered = builtinResources().filter((resource) => !isStored(resource));
  expect(answered.filter((resource) => !isAsked(resource)).map(groupResourceText)).toEqual([]);
});

it("sends fuzzed requests of every stored kind", () => {
  const known = new Set(places.map(({ collection }) => collection.replace(/\/namespaces\/[^/]+(?=\/)/, "")));
  const isKnown = ({ group, version, resource }: BuiltinResource): boolean =>
    known.has(`${group === "" ? `/api/${version}` : `/apis/${group}/${version}`}/${resource}`);
  const kinds = Map.groupBy(builtinResources().filter(isStored), groupResourceText);
  expect([...kinds].flatMap(([kind, versions]) => (versions.some(isKnown) ? [] : [kind]))).toEqual([]);
});
