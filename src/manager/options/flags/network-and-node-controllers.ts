// Flags of the controllers of services, nodes and devices.

import { duration, float32, int32, string } from "../../flags/flag-types.ts";
import { at, type BoundFlag, workers } from "./bound-flag.ts";

export const networkAndNodeFlags: Readonly<Record<string, readonly BoundFlag[]>> = {
  "device-taint-eviction": [
    at(
      "concurrent-device-taint-eviction-syncs",
      int32,
      "config.DeviceTaintEvictionController.ConcurrentSyncs",
      workers("evictions and DeviceTaintRules"),
    ),
  ],
  resourceclaim: [
    at(
      "concurrent-resourceclaim-syncs",
      int32,
      "config.ResourceClaimController.ConcurrentSyncs",
      workers("ResourceClaims"),
    ),
  ],
  endpoints: [
    at("concurrent-endpoint-syncs", int32, "config.EndpointController.ConcurrentEndpointSyncs", workers("Endpoints")),
    at(
      "endpoint-updates-batch-period",
      duration,
      "config.EndpointController.EndpointUpdatesBatchPeriod",
      "How long to collect pod changes before Endpoints are written.",
    ),
  ],
  endpointslice: [
    at(
      "concurrent-service-endpoint-syncs",
      int32,
      "config.EndpointSliceController.ConcurrentServiceEndpointSyncs",
      `${workers("Services")} From 1 to 50.`,
    ),
    at(
      "max-endpoints-per-slice",
      int32,
      "config.EndpointSliceController.MaxEndpointsPerSlice",
      "Most endpoints in one EndpointSlice, from 1 to 1000.",
    ),
    at(
      "endpointslice-updates-batch-period",
      duration,
      "config.EndpointSliceController.EndpointUpdatesBatchPeriod",
      "How long to collect pod changes before EndpointSlices are written.",
    ),
  ],
  "endpointslice-mirroring": [
    at(
      "mirroring-concurrent-service-endpoint-syncs",
      int32,
      "config.EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
      `${workers("mirrored Endpoints")} From 1 to 50.`,
    ),
    at(
      "mirroring-max-endpoints-per-subset",
      int32,
      "config.EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
      "Most endpoints mirrored from one subset, from 1 to 1000.",
    ),
    at(
      "mirroring-endpointslice-updates-batch-period",
      duration,
      "config.EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
      "How long to collect changes before mirrored EndpointSlices are written.",
    ),
  ],
  "node-ipam": [
    at(
      "service-cluster-ip-range",
      string,
      "config.NodeIPAMController.ServiceCIDR",
      "Service address ranges, at most two, that are excluded from the nodes' ranges. Used with --allocate-node-cidrs.",
    ),
    at(
      "node-cidr-mask-size",
      int32,
      "config.NodeIPAMController.NodeCIDRMaskSize",
      "Mask size of a node's range in a single-stack cluster; 24 for IPv4 and 64 for IPv6 when 0.",
    ),
    at(
      "node-cidr-mask-size-ipv4",
      int32,
      "config.NodeIPAMController.NodeCIDRMaskSizeIPv4",
      "Mask size of a node's IPv4 range in a dual-stack cluster; 24 when 0.",
    ),
    at(
      "node-cidr-mask-size-ipv6",
      int32,
      "config.NodeIPAMController.NodeCIDRMaskSizeIPv6",
      "Mask size of a node's IPv6 range in a dual-stack cluster; 64 when 0.",
    ),
  ],
  "node-lifecycle": [
    at(
      "node-startup-grace-period",
      duration,
      "config.NodeLifecycleController.NodeStartupGracePeriod",
      "How long a new node may be silent before it counts as unhealthy.",
    ),
    at(
      "node-monitor-grace-period",
      duration,
      "config.NodeLifecycleController.NodeMonitorGracePeriod",
      "How long a node may be silent before it counts as unhealthy. Should be several times the kubelet's update period.",
    ),
    at(
      "node-eviction-rate",
      float32,
      "config.NodeLifecycleController.NodeEvictionRate",
      "Nodes per second from which pods are evicted while the zone is healthy.",
    ),
    at(
      "secondary-node-eviction-rate",
      float32,
      "config.NodeLifecycleController.SecondaryNodeEvictionRate",
      "The same while the zone is unhealthy; 0 in small clusters.",
    ),
    at(
      "large-cluster-size-threshold",
      int32,
      "config.NodeLifecycleController.LargeClusterSizeThreshold",
      "A zone with more nodes than this counts as large.",
    ),
    at(
      "unhealthy-zone-threshold",
      float32,
      "config.NodeLifecycleController.UnhealthyZoneThreshold",
      "Share of not ready nodes, at least three, from which a zone counts as unhealthy.",
    ),
  ],
};
