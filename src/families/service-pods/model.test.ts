import { expect, it } from "vitest";
import { Services } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { isManaged } from "./model.ts";

it.each([
  [{ selector: { app: "web" } }, true],
  [{ selector: {} }, false],
  [{}, false],
  [{ selector: { app: "web" }, type: "ExternalName" }, false],
])("endpoints/3, endpoints/traps a Service with %o gets endpoints: %s", (spec, expected) => {
  expect(isManaged(stored(Services, { metadata: { name: "web" }, spec }))).toBe(expected);
});
