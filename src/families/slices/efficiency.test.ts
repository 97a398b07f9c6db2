import { expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { Efficiency } from "./efficiency.ts";
import { portKeyOf } from "./model.ts";

function setup(slicesMin: number) {
  const metrics = new MetricRegistry({ version: "1.36.4" });
  const gauge = (name: string) => metrics.gauge({ name, help: name, stability: "BETA" });
  const gauges = { endpoints: gauge("endpoints"), slices: gauge("slices"), idealSlices: gauge("ideal") };
  const efficiency = new Efficiency(gauges, { endpointsMax: 100, slicesMin });
  const shown = (): string =>
    metrics
      .render()
      .split("\n")
      .filter((line) => /^(endpoints|slices|ideal) /.test(line))
      .join(", ");
  return { efficiency, shown };
}

const counts = (...each: readonly (readonly [number, number])[]) =>
  new Map(each.map(([endpoints, slices], index) => [`ports-${index}`, { endpoints, slices }]));

it("endpointslice/metrics sums up endpoints and slices of all Services", () => {
  const { efficiency, shown } = setup(1);
  efficiency.set("ns/a", counts([150, 3], [20, 1]));
  expect(shown()).toBe("endpoints 170, ideal 3, slices 4");
  efficiency.set("ns/b", counts([0, 1]));
  expect(shown()).toBe("endpoints 170, ideal 4, slices 5");
  efficiency.set("ns/a", counts([1, 1]));
  efficiency.remove("ns/b");
  efficiency.remove("ns/unknown");
  expect(shown()).toBe("endpoints 1, ideal 1, slices 1");
});

it("endpointslice/traps the second address type of a Service replaces the first", () => {
  const { efficiency, shown } = setup(1);
  efficiency.set("ns/a", counts([10, 1]));
  efficiency.set("ns/a", counts([3, 1]));
  expect(shown()).toBe("endpoints 3, ideal 1, slices 1");
});

it("endpointslice-mirroring/metrics Endpoints without addresses need no slice", () => {
  const { efficiency, shown } = setup(0);
  efficiency.set("ns/a", counts([0, 0]));
  expect(shown()).toBe("endpoints 0, ideal 0, slices 0");
});

it("endpointslice/traps no ports and a list of none are the same ports", () => {
  expect(portKeyOf(null)).toBe(portKeyOf([]));
  expect(portKeyOf(undefined)).toBe(portKeyOf([]));
  const [a, b] = [
    { name: "a", port: 1 },
    { name: "b", port: 2 },
  ];
  expect(portKeyOf([a, b])).toBe(portKeyOf([b, a]));
  expect(portKeyOf([a])).not.toBe(portKeyOf([b]));
});
