// Device classes, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const select = (...expressions: readonly string[]): object => ({
  spec: { selectors: expressions.map((expression) => ({ cel: { expression } })) },
});
const opaque = { driver: "gpu.example.com", parameters: { apiVersion: "example.com/v1", kind: "Config" } };

/** Four loops over all domains: more than the cost limit of a selector. */
const COSTLY =
  "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b && c == d))))";

export const deviceClasses: KindRow = {
  label: "DeviceClass",
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  resource: "deviceclasses",
  isClusterScoped: true,
  minimal: { spec: {} },
  full: {
    spec: {
      selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }],
      config: [{ opaque }],
      extendedResourceName: "example.com/gpu",
    },
  },
  invalid: [
    { metadata: { name: "Bad Name" }, spec: {} },
    select("device.nothing"),
    select("1"),
    select(COSTLY),
    select(`"${"x".repeat(10_240)}" == device.driver`),
    select(...Array.from({ length: 33 }, () => "true")),
    { spec: { selectors: [{}] } },
    { spec: { config: [{}] } },
    { spec: { config: [{ opaque: { ...opaque, driver: "Bad_Name" } }] } },
    { spec: { config: [{ opaque: { driver: "gpu.example.com", parameters: [1] } }] } },
    { spec: { config: [{ opaque: { driver: "gpu.example.com" } }] } },
    { spec: { config: [{ opaque: { ...opaque, parameters: { text: "x".repeat(10_240) } } }] } },
    { spec: { extendedResourceName: "cpu" } },
    { spec: { extendedResourceName: "Bad Name" } },
  ],
  updates: [
    select('device.attributes["gpu.example.com"].healthy'),
    select("device.driver"),
    { spec: { config: [{ opaque }] } },
    { spec: { extendedResourceName: "example.com/other" } },
    { spec: { extendedResourceName: null } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: select("true"),
    json: [{ op: "add", path: "/spec/selectors/-", value: { cel: { expression: 'device.driver == "x"' } } }],
    strategic: { spec: { extendedResourceName: "example.com/gpu" } },
  },
  otherContent: select('device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))'),
};

export const olderDeviceClasses: KindRow = { ...deviceClasses, apiVersion: "resource.k8s.io/v1beta2" };
export const oldestDeviceClasses: KindRow = { ...deviceClasses, apiVersion: "resource.k8s.io/v1beta1" };
