import { expect, it } from "vitest";
import { Secrets } from "#api/generated/resources/core-v1.ts";
import { queryString, resourcePath } from "./paths.ts";

it("escapes names in paths as Go's clients do", () => {
  // Go's net/url gives the same path.
  const path = resourcePath(Secrets, { namespace: "@fake:svm_ns!", name: "!'()*~-_.:@&=+$,;x y[]{}|\\^`\"<>#?é" });
  const escaped = "%21%27%28%29%2A~-_.:@&=+$,;x%20y%5B%5D%7B%7D%7C%5C%5E%60%22%3C%3E%23%3F%C3%A9";
  expect(path).toBe(`/api/v1/namespaces/@fake:svm_ns%21/secrets/${escaped}`);
});

it.each([
  ["", "resource name may not be empty"],
  ["..", `invalid resource name "..": [may not be '..']`],
  ["a/b%", `invalid resource name "a/b%": [may not contain '/' may not contain '%']`],
])("refuses the name '%s' in a path", (name, message) => {
  expect(() => resourcePath(Secrets, { namespace: "default", name })).toThrow(message);
});

it("leaves empty values out of queries", () => {
  expect(queryString({ limit: 1, continue: "", watch: false, labelSelector: "a in (b)" })).toBe(
    "limit=1&labelSelector=a%20in%20(b)",
  );
});
