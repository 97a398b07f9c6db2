import { describe, expect, it } from "vitest";
import { builtinResources } from "#api/resource-table.ts";
import { groupResourceText } from "#api/status-error.ts";
import { builtinKind } from "./builtin-kinds.ts";

const subresources = Map.groupBy(
  builtinResources().flatMap((resource) =>
    resource.subresources.map(({ name }) => ({ key: groupResourceText(resource), name })),
  ),
  ({ key }) => key,
);

describe("built-in kinds", () => {
  it.each([...new Set(builtinResources().map(groupResourceText))])("%s is one place", (key) => {
    const kind = builtinKind(key);
    expect(kind && [kind.key, ...(kind.otherKeys ?? [])]).toContain(key);
    const served = subresources.get(key)?.map(({ name }) => name) ?? [];
    const written = Object.keys(kind?.strategy.subresources ?? {});
    for (const name of [...written, ...(kind?.unprintedSubresources ?? [])]) expect(served).toContain(name);
  });
});
