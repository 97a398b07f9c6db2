import { describe, expect, it } from "vitest";
import { readManifests } from "./manifests.ts";

const titles = (text: string): readonly string[] => readManifests("app.yaml", text).map(({ title }) => title);

describe("manifests", () => {
  it("are documents of YAML or JSON, and the items of lists; comments and empty documents are ignored", () => {
    const text = `# a comment
---
apiVersion: v1
kind: ConfigMap
metadata: { name: a, namespace: other }
---

--- # nothing but a comment
{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "b"}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: c
`;
    expect(titles(text)).toEqual([
      "app.yaml, document 1 (ConfigMap other/a)",
      "app.yaml, document 2 (Secret b)",
      "app.yaml, document 3 (Deployment c)",
    ]);
    expect(titles("")).toEqual([]);
  });

  it.each([
    ["kind: Pod", "app.yaml, document 1: apiVersion is missing"],
    ["apiVersion: v1", "app.yaml, document 1: kind is missing"],
    ["apiVersion: v1\nkind: Pod", "app.yaml, document 1: metadata.name is missing"],
    ["- a", "app.yaml, document 1: it is not an object"],
    ["# one\n---\napiVersion: v1\nkind: {", /^app\.yaml, document 1: yaml: .* line 4, column \d+$/],
    ["# one\n---\na: 1\n---\nkind: A\nkind: B", /document 2: line 6: key "kind" already set in map/],
    [
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\nkind: A\n---\nkind: B",
      "app.yaml, document 2: apiVersion is missing\napp.yaml, document 3: apiVersion is missing",
    ],
  ])("refuses %j", (text, message) => {
    expect(() => titles(text)).toThrow(message);
  });
});
