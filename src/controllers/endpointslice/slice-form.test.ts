import { describe, expect, it } from "vitest";
import { Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { ServiceSpec } from "#api/generated/types/core-v1.ts";
import { stored } from "#api/testing.ts";
import { HEADLESS, type Service } from "#families/service-pods/model.ts";
import { MANAGED_BY, SERVICE_NAME } from "#families/slices/model.ts";
import { usedDistribution, wantsZoneHints } from "./hinting.ts";
import { CONTROLLER_NAME } from "./model.ts";
import { isPlaceholder, sliceLabels } from "./slice-form.ts";
import { addressTypesOf } from "./wanted-endpoints.ts";

type Texts = Readonly<Record<string, string>>;

const own = { [SERVICE_NAME]: "web", [MANAGED_BY]: CONTROLLER_NAME };
const headless = { ...own, [HEADLESS]: "" };
const foo = { foo: "bar" };
const evil = { [SERVICE_NAME]: "bad", [MANAGED_BY]: "actor", [HEADLESS]: "invalid" };

function serviceOf(spec: ServiceSpec, labels: Texts = {}, annotations: Texts = {}): Service {
  return stored(Services, { metadata: { name: "web", labels, annotations }, spec });
}

describe("endpointslice/12, endpointslice/9, endpointslice/tests the labels of a slice", () => {
  it.each<readonly [string, Texts, string, Texts, Texts, boolean]>([
    ["name the Service and the manager", {}, "10.0.0.1", {}, own, false],
    ["have those of a headless Service", foo, "None", {}, { ...headless, ...foo }, true],
    ["say that the Service is headless", {}, "None", {}, headless, false],
    ["do not say so because the Service does", { [HEADLESS]: "" }, "10.0.0.1", {}, own, false],
    ["stop to say so, whatever the Service says", { [HEADLESS]: "" }, "10.0.0.1", headless, own, false],
    ["stop to say so when it gets an address", {}, "10.0.0.1", headless, own, false],
    ["are right but for being headless", foo, "None", { ...own, ...foo }, { ...headless, ...foo }, false],
    ["are those of the Service", foo, "10.0.0.1", {}, { ...own, ...foo }, true],
    ["are not those that the Service lost", {}, "10.0.0.1", { ...own, ...foo }, own, true],
    ["are added to", foo, "10.0.0.1", own, { ...own, ...foo }, true],
    ["are not those that a Service may not set", evil, "10.0.0.1", own, own, false],
    ["are others that it sets beside them", { ...evil, ...foo }, "10.0.0.1", own, { ...own, ...foo }, true],
  ])("%s", (_, ofService, clusterIP, ofSlice, labels, isChanged) => {
    const slice = stored(EndpointSlices, { metadata: { name: "web-1", labels: ofSlice }, addressType: "IPv4" });
    expect(sliceLabels(serviceOf({ clusterIP }, ofService), slice)).toEqual({ labels, isChanged });
  });
});

describe("endpointslice/10 a slice without endpoints", () => {
  it.each<readonly [string, Texts, string, Texts, boolean]>([
    ["is the placeholder", foo, "10.0.0.1", { ...own, ...foo }, true],
    ["is not if the Service got a label", foo, "10.0.0.1", own, false],
    ["is not if the Service lost a label", {}, "10.0.0.1", { ...own, ...foo }, false],
    ["is although the Service got an empty label", { foo: "" }, "10.0.0.1", own, true],
    ["is although the Service lost an empty label", {}, "10.0.0.1", { ...own, foo: "" }, true],
    ["is although the Service became headless", {}, "None", own, true],
  ])("%s", (_, ofService, clusterIP, ofSlice, expected) => {
    const slice = stored(EndpointSlices, { metadata: { name: "web-1", labels: ofSlice }, addressType: "IPv4" });
    expect(isPlaceholder(slice, serviceOf({ clusterIP }, ofService))).toBe(expected);
  });
});

describe("endpointslice/5, endpointslice/tests the address types of a Service", () => {
  it.each<readonly [ServiceSpec, readonly string[]]>([
    [{ clusterIP: "10.0.0.10" }, ["IPv4"]],
    [{ clusterIP: "2000::1" }, ["IPv6"]],
    [{ ipFamilies: ["IPv4"] }, ["IPv4"]],
    [{ ipFamilies: ["IPv6"] }, ["IPv6"]],
    [{ ipFamilies: ["IPv4", "IPv6"] }, ["IPv4", "IPv6"]],
    [{ ipFamilies: ["IPv6", "IPv4"] }, ["IPv4", "IPv6"]],
    [{ clusterIP: "None" }, ["IPv4", "IPv6"]],
    [{ clusterIP: "None", selector: foo }, ["IPv4", "IPv6"]],
    [{ clusterIP: "None", ipFamilies: ["IPv4", "IPv6"] }, ["IPv4", "IPv6"]],
    [{ clusterIP: "None", selector: foo, ipFamilies: ["IPv6"] }, ["IPv6"]],
  ])("with %o are %o", (spec, expected) => {
    expect(addressTypesOf(serviceOf(spec)).toSorted()).toEqual([...expected]);
  });
});

const HINTS = "service.kubernetes.io/topology-aware-hints";
const MODE = "service.kubernetes.io/topology-mode";

describe("endpointslice/14, endpointslice/tests a Service", () => {
  it.each<readonly [Texts, boolean]>([
    [{}, false],
    [{ "topology-hints": "enabled" }, false],
    [{ [HINTS]: "enabled" }, false],
    [{ [HINTS]: "aUto" }, false],
    [{ [HINTS]: "auto" }, true],
    [{ [HINTS]: "Auto" }, true],
    [{ [HINTS]: "disabled" }, false],
    [{ [MODE]: "enabled" }, false],
    [{ [MODE]: "aUto" }, false],
    [{ [MODE]: "auto" }, true],
    [{ [MODE]: "Auto" }, true],
    [{ [MODE]: "disabled" }, false],
    [{ [HINTS]: "disabled", [MODE]: "Auto" }, false],
  ])("with annotations %o asks for hints by zones: %s", (annotations, expected) => {
    expect(wantsZoneHints(serviceOf({}, {}, annotations))).toBe(expected);
  });

  it.each<readonly [string, Texts, string | undefined]>([
    ["PreferClose", {}, "PreferClose"],
    ["PreferSameZone", {}, "PreferSameZone"],
    ["PreferSameNode", {}, "PreferSameNode"],
    ["PreferSomething", {}, undefined],
    ["PreferClose", { [MODE]: "Auto" }, undefined],
    ["PreferClose", { [HINTS]: "disabled" }, "PreferClose"],
  ])("with the distribution %s and annotations %o uses %s", (trafficDistribution, annotations, expected) => {
    expect(usedDistribution(serviceOf({ trafficDistribution }, {}, annotations))).toBe(expected);
  });
});
