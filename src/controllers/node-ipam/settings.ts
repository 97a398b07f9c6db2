// The cluster ranges from the flags, or why the flags are invalid. The messages are upstream's.
// Upstream: cmd/kube-controller-manager/app/core.go, newNodeIpamController;
// pkg/controller/nodeipam/node_ipam_controller.go.

import { type Cidr, parseCidr } from "#rules/cidr.ts";
import { isDualStack } from "#rules/ip.ts";

export interface NodeIpamOptions {
  /** --allocate-node-cidrs. */
  readonly isEnabled: boolean;
  /** --cidr-allocator-type. */
  readonly allocatorType: string;
  /** --cluster-cidr: one range, or one of each family. */
  readonly clusterCidr: string;
  /** The parts of --service-cluster-ip-range. */
  readonly serviceCidrs: readonly string[];
  /** --node-cidr-mask-size and the same for one family; 0: not set. */
  readonly maskSize: number;
  readonly maskSizeV4: number;
  readonly maskSizeV6: number;
}

export interface NodeRange {
  readonly cluster: Cidr;
  /** The prefix length of a node's range. */
  readonly nodeLength: number;
}

export interface NodeIpamSettings {
  readonly ranges: readonly NodeRange[];
  /** Ranges that no node may get. */
  readonly services: readonly Cidr[];
  /** Service ranges that cannot be parsed; they are not excluded. */
  readonly unreadable: readonly string[];
}

export class NodeIpamSettingsError extends Error {
  override readonly name = "NodeIpamSettingsError";
}

const refuse = (message: string): never => {
  throw new NodeIpamSettingsError(message);
};

const DEFAULT_LENGTH_V4 = 24;
const DEFAULT_LENGTH_V6 = 64;
/** For IPv6: a larger difference would mean too many node ranges. */
const LENGTH_DIFFERENCE_MAX = 16;

export function readSettings(options: NodeIpamOptions): NodeIpamSettings {
  const { allocatorType } = options;
  if (allocatorType === "CloudAllocator") {
    refuse("--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured");
  }
  const clusters = clusterCidrs(options.clusterCidr);
  const services = serviceCidrs(options.serviceCidrs);
  const lengths = nodeLengths(options, clusters);
  const ranges = clusters.map((cluster, i) => ({ cluster, nodeLength: lengths[i] ?? 0 }));
  if (ranges.some(({ cluster, nodeLength }) => cluster.prefixLength > nodeLength)) {
    refuse(
      "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family",
    );
  }
  if (allocatorType === "IPAMFromCluster" || allocatorType === "IPAMFromCloud") {
    refuse("Error trying to Init(): legacy cloud provider support disabled at build time");
  }
  if (allocatorType !== "RangeAllocator") refuse(`invalid CIDR allocator type: ${allocatorType}`);
  if (ranges.some(isTooBig)) refuse("New CIDR set failed; the node CIDR size is too big");
  return { ranges, ...services };
}

// Deviation: Go accepts an IPv4 prefix length above 32 and gives every node a range that it cannot print.
function isTooBig({ cluster, nodeLength }: NodeRange): boolean {
  if (cluster.family === 4) return nodeLength > 32;
  return nodeLength > 128 || nodeLength - cluster.prefixLength > LENGTH_DIFFERENCE_MAX;
}

function clusterCidrs(text: string): readonly Cidr[] {
  const list = text
    .trim()
    .split(",")
    .map((part, i) => parseCidr(part) ?? refuse(`invalid CIDR[${i}]: <nil> (invalid CIDR address: ${part})`));
  if (list.length > 1 && !isDualStack(list.map(({ family }) => family))) {
    refuse(
      `len of ClusterCIDRs==${list.length} and they are not configured as dual stack (at least one from each IPFamily`,
    );
  }
  if (list.length > 2) refuse(`length of clusterCIDRs is:${list.length} more than max allowed of 2`);
  return list;
}

function serviceCidrs(texts: readonly string[]): Pick<NodeIpamSettings, "services" | "unreadable"> {
  const given = texts.filter((text) => text.trim() !== "");
  const services = given.flatMap((text) => parseCidr(text) ?? []);
  if (services.length === 2 && services[0]?.family === services[1]?.family) {
    refuse("serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
  }
  return { services, unreadable: given.filter((text) => parseCidr(text) === undefined) };
}

function nodeLengths(
  { maskSize, maskSizeV4, maskSizeV6 }: NodeIpamOptions,
  clusters: readonly Cidr[],
): readonly number[] {
  const byFamily = clusters.map(({ family }) =>
    family === 6 ? maskSizeV6 || DEFAULT_LENGTH_V6 : maskSizeV4 || DEFAULT_LENGTH_V4,
  );
  if (clusters.length > 1) {
    return maskSize === 0 ? byFamily : refuse("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
  }
  if (maskSize !== 0) {
    return maskSizeV4 === 0 && maskSizeV6 === 0
      ? clusters.map(() => maskSize)
      : refuse(
          "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags",
        );
  }
  const isV6 = clusters[0]?.family === 6;
  if (isV6 && maskSizeV4 !== 0) {
    refuse("usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster");
  }
  if (!isV6 && maskSizeV6 !== 0) {
    refuse("usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster");
  }
  return byFamily;
}
