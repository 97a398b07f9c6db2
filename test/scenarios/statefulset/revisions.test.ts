// Revisions that match a StatefulSet but that another client wrote.

import { afterEach, expect, it } from "vitest";
import { ControllerRevisions, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";

let stage: WireStage;
afterEach(() => stage.stop());

const labels = { app: "web" };

it.each([
  ["its fields have other types", { spec: { replicas: "many" } }],
  ["it is no strategic merge patch", { spec: { template: { $patch: "unknown" } } }],
  ["it has containers of another type", { spec: { template: { $patch: "replace", spec: { containers: [5] } } } }],
])("statefulset/3 creates its own revision beside a newest one that cannot be applied, because %s", async (_, data) => {
  stage = await openWire({ controllers: ["statefulset-controller"] });
  await stage.of(ControllerRevisions).create({ metadata: { name: "foreign", labels }, data, revision: 7 });
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
  await stage.of(StatefulSets).create({
    metadata: { name: "web" },
    spec: { replicas: 1, selector: { matchLabels: labels }, serviceName: "web", template },
  });
  await stage.of(Pods).until("web-0", (pod) => pod.spec?.containers[0]?.image === "example/web:1");
  const revisions = await stage.of(ControllerRevisions).list();
  expect(revisions.map(({ revision }) => revision).toSorted()).toEqual([7, 8]);
});
