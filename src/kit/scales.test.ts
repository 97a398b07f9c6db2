import { describe, expect, it } from "vitest";
import { resourceHandle } from "#api/resource.ts";
import type { Client } from "#client/client.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import { type Scale, Scales, scaleSelector } from "./scales.ts";

const { signal } = new AbortController();
const Widgets = resourceHandle({
  group: "example.com",
  version: "v2",
  resource: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});

const scaleWith = (status: NonNullable<Scale["status"]>): Scale => ({
  metadata: { name: "web", namespace: "ns", uid: "1", resourceVersion: "1", creationTimestamp: "" },
  status,
});

describe("the selector of a scale", () => {
  it.each([
    ["text", { selector: "app=web" }, "app=web"],
    ["labels of an older version", { selector: { b: "2", a: "1" } }, "a=1,b=2"],
    ["the text beside the labels", { selector: { a: "1" }, targetSelector: "a in (1,2)" }, "a in (1,2)"],
    ["nothing", {}, ""],
  ])("is %s", (_, status, expected) => {
    expect(scaleSelector(scaleWith(status))).toBe(expected);
  });
});

describe("scales", () => {
  it("are served when discovery says so", async () => {
    const resources = [{ name: "widgets/scale", kind: "Scale", group: "autoscaling", version: "v1" }];
    const bytes = new TextEncoder().encode(JSON.stringify({ resources }));
    const client = { raw: async () => ({ status: 200, contentType: "application/json", headers: {}, bytes }) };
    const scales = new Scales(client as unknown as Client, {} as RestMapper);
    expect(await scales.isServed(Widgets, signal)).toBe(true);
    expect(await scales.isServed({ ...Widgets, resource: "gadgets" }, signal)).toBe(false);
  });

  it("say which resource nothing serves", async () => {
    const restMapper = { resourceFor: () => Promise.reject(new Error("no matches")) };
    const scales = new Scales({} as Client, restMapper);
    await expect(scales.get(Widgets, { namespace: "ns", name: "web" }, signal)).rejects.toThrow(
      "unable to get client for widgets.example.com: unable to get full preferred group-version-resource for widgets.example.com: no matches",
    );
  });
});
