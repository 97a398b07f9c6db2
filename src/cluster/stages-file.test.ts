import { describe, expect, it } from "vitest";
import { outagesOf, ruledPod } from "#nodes/stages.ts";
import { readStages } from "./stages-file.ts";

const stages = readStages(
  "stages.yaml",
  `pods:
- namespace: shop
  selector: app=web
  start-after: 2s
  exit-code: 3
- selector: app in (web, db)
  image-pull-error: true
---
nodes:
- name: node-2
  fails-at: 1m
  returns-at: 2m
- selector: zone=a
  partitioned-at: 30s
`,
);

const annotationsOf = (namespace: string, app: string, annotations = {}) =>
  ruledPod({ metadata: { namespace, labels: { app }, annotations } }, stages).metadata?.annotations;

describe("a stages file", () => {
  it("defines the behaviour of pods: the first matching rule, with the pod's own annotations before it", () => {
    const own = { "sim.steersman.dev/exit-code": "1" };
    expect(annotationsOf("shop", "web", own)).toEqual({ "sim.steersman.dev/start-after": "2s", ...own });
    expect(annotationsOf("other", "web")).toEqual({ "sim.steersman.dev/image-pull-error": "true" });
    expect(annotationsOf("shop", "cache", own)).toEqual(own);
  });

  it("defines outages of nodes, by name or label", () => {
    expect(outagesOf("node-2", { zone: "a" }, stages)).toEqual([
      { fromMs: 60_000, toMs: 120_000, losesContainers: true },
    ]);
    expect(outagesOf("node-1", { zone: "a" }, stages)).toEqual([{ fromMs: 30_000, losesContainers: false }]);
    expect(outagesOf("node-1", {}, stages)).toEqual([]);
  });

  it.each([
    ["[]", "document 1: the document: must be a map of fields"],
    ["pod: []", "document 1: pod: unknown field; known are pods, nodes"],
    ["pods: {}", "document 1: pods: must be a list of rules"],
    ["pods: [{run-for: soon}]", 'document 1: pods[0].run-for: time: invalid duration "soon"'],
    ["pods: [{start-after: 1s}, {exit-code: 256}]", "document 1: pods[1].exit-code: must be a number from 0 to 255"],
    ["pods: [{cpu: [1]}]", "document 1: pods[0].cpu: must be a text, a number, true or false"],
    ["pods: [{selector: '=a'}]", "document 1: pods[0].selector: "],
    ["pods: []\n---\nnodes: [{returns-at: 1m}]", "document 2: nodes[0].returns-at: needs fails-at"],
    ["nodes: [{fails-at: 1m, returns-at: 1m}]", "document 1: nodes[0].returns-at: must be later than fails-at"],
    ["nodes: [{partitioned-at: -1s}]", 'document 1: nodes[0].partitioned-at: must not be negative: "-1s"'],
    ["nodes: [{label: a}]", "document 1: nodes[0].label: unknown field; known are name, selector, fails-at"],
  ])("refuses %j", (text, message) => {
    expect(() => readStages("stages.yaml", text)).toThrow(`stages.yaml, ${message}`);
  });
});
