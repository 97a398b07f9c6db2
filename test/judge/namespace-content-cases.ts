// How the manager empties a namespace: every kind is deleted as a collection and listed, and a list shows how many
// objects are left.

import { builtinResources } from "#api/resource-table.ts";
import { groupResourceText } from "#api/status-error.ts";
import { builtinKind } from "#kinds/builtin-kinds.ts";
import { neverStored } from "#kinds/strategy.ts";
import type { JudgeCase, Step } from "./case.ts";
import { del, get, merge, patch, post } from "./steps.ts";

const collections = builtinResources()
  .filter((each) => each.namespaced && each.servedByDefault)
  .filter((each) => builtinKind(groupResourceText(each))?.strategy !== neverStored)
  .map(({ group, version, resource }) => {
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    return `${root}/namespaces/$ns/${resource}`;
  });

const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const MAPS = "/api/v1/namespaces/$ns/configmaps";
const held = (name: string): Step => post(MAPS, { metadata: { name, finalizers: ["example.com/hold"] } });

export const namespaceContentCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.4.r11 every kind in a namespace is deleted as a collection, and listed in parts",
    steps: collections.flatMap((collection) => [del(collection), get(`${collection}?limit=1`, { accept: METADATA })]),
  },
  {
    name: "machinery/7.4.r11 a list in parts tells how much is left in a namespace",
    steps: [
      ...["a", "b", "c"].map(held),
      post(MAPS, { metadata: { name: "d" } }),
      get(`${MAPS}?limit=1`),
      del(MAPS),
      get(`${MAPS}?limit=1`),
      get(`${MAPS}?limit=5`),
      ...["a", "b", "c"].map((name) => patch(`${MAPS}/${name}`, merge, { metadata: { finalizers: null } })),
      get(`${MAPS}?limit=1`),
    ],
  },
];
