// Facts of the endpoints controllers that scenarios do not show: names, contracts, queues and metrics.

import { expect, it } from "vitest";
import { Endpoints, Nodes, Pods, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { knownController } from "#kit/known-controllers.ts";
import { registeredControllers } from "#manager/registry.ts";
import { openWire } from "#test/stage/wire-stage.ts";

const contractOf = (name: string) => registeredControllers.find((controller) => controller.name === name)?.contract;

it("endpointslice/about, endpointslice/watches, endpointslice/reads-live has its alias, and reads from caches alone", () => {
  expect(knownController("endpointslice-controller")).toMatchObject({ aliases: ["endpointslice"], featureGates: [] });
  expect(contractOf("endpointslice-controller")).toMatchObject({
    watches: [Services, Pods, Nodes, EndpointSlices],
    reads: [],
  });
});

it("endpoints/about, endpoints/watches, endpoints/reads-live has its alias, and reads from caches alone", () => {
  expect(knownController("endpoints-controller")).toMatchObject({ aliases: ["endpoint"], featureGates: [] });
  expect(contractOf("endpoints-controller")).toMatchObject({ watches: [Services, Pods, Endpoints], reads: [] });
});

it("endpointslice-mirroring/about, endpointslice-mirroring/watches has its alias, and reads from caches alone", () => {
  const known = knownController("endpointslice-mirroring-controller");
  expect(known).toMatchObject({ aliases: ["endpointslicemirroring"], featureGates: [] });
  expect(contractOf("endpointslice-mirroring-controller")).toMatchObject({
    watches: [Endpoints, EndpointSlices, Services],
    reads: [],
  });
});

/** The metrics of the controllers after a Service with a traffic distribution and one with Endpoints of a user. */
async function metricsOf(): Promise<string> {
  const controllers = ["endpoints-controller", "endpointslice-controller", "endpointslice-mirroring-controller"];
  const stage = await openWire({ controllers });
  try {
    await stage.of(Services).create({
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }], trafficDistribution: "PreferClose" },
    });
    await stage.of(Services).create({ metadata: { name: "bare" }, spec: { ports: [{ port: 80 }] } });
    await stage.of(Endpoints).create({
      metadata: { name: "bare" },
      subsets: [{ addresses: [{ ip: "10.1.0.1" }, { ip: "2001:db8::1" }] }],
    });
    await stage.pass(5000);
    return stage.metrics.render();
  } finally {
    await stage.stop();
  }
}

it("endpoints/metrics, endpointslice/metrics, endpointslice-mirroring/metrics counts what it does", async () => {
  // The controllers see their writes before the answers to them, and sync again.
  const text = await metricsOf();
  const lines = text
    .split("\n")
    .filter((line) => /^endpoint_slice.*(?<!_bucket)(?<!_sum)(\{[^}]*\})? [\d.e+-]+$/.test(line));
  const shown = lines.filter((line) => !/_bucket|_sum|sync_duration/.test(line)).toSorted();
  expect(shown).toEqual(
    [
      'endpoint_slice_controller_changes{operation="create"} 1',
      "endpoint_slice_controller_desired_endpoint_slices 1",
      "endpoint_slice_controller_endpoints_added_per_sync_count 2",
      "endpoint_slice_controller_endpoints_desired 0",
      "endpoint_slice_controller_endpoints_removed_per_sync_count 2",
      'endpoint_slice_controller_endpointslices_changed_per_sync_count{topology="Disabled",traffic_distribution="PreferClose"} 2',
      "endpoint_slice_controller_num_endpoint_slices 1",
      'endpoint_slice_controller_services_count_by_traffic_distribution{traffic_distribution="PreferClose"} 1',
      'endpoint_slice_controller_syncs{result="success"} 4',
      'endpoint_slice_mirroring_controller_changes{operation="create"} 2',
      "endpoint_slice_mirroring_controller_addresses_skipped_per_sync_count 2",
      "endpoint_slice_mirroring_controller_desired_endpoint_slices 2",
      "endpoint_slice_mirroring_controller_endpoints_added_per_sync_count 2",
      "endpoint_slice_mirroring_controller_endpoints_desired 2",
      "endpoint_slice_mirroring_controller_endpoints_removed_per_sync_count 2",
      "endpoint_slice_mirroring_controller_endpoints_updated_per_sync_count 2",
      "endpoint_slice_mirroring_controller_num_endpoint_slices 2",
    ].toSorted(),
  );
  for (const queue of ["endpoint", "endpoint_slice", "endpoint_slice_mirroring"]) {
    expect(text).toContain(`workqueue_adds_total{name="${queue}"}`);
  }
  expect(text).toContain('endpoint_slice_controller_endpoints_added_per_sync_bucket{le="32768"}');
  expect(text).toContain('endpoint_slice_mirroring_controller_endpoints_sync_duration_bucket{le="16.384"}');
  expect(text).not.toMatch(/^endpoints?_controller/m);
});
