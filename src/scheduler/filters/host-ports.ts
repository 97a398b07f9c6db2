// Checks that the pod's host ports are free. Upstream: pkg/scheduler/framework/plugins/nodeports

import type { HostPort } from "../host-ports.ts";
import { type PreparedFilter, resolvable } from "../rejection.ts";

const TAKEN = resolvable("NodePorts", "node(s) didn't have free ports for the requested pod ports");

export function filterHostPorts(wanted: readonly HostPort[]): PreparedFilter {
  if (wanted.length === 0) return undefined;
  return ({ hostPorts }) => (wanted.some((port) => hostPorts.clashesWith(port)) ? TAKEN : undefined);
}
