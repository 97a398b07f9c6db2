// The host ports of the pods on a node, and their conflicts.
// Upstream: k8s.io/kube-scheduler/framework/types.go, HostPortInfo; pkg/scheduler/util, GetHostPorts

import type { Pod } from "#api/generated/types/core-v1.ts";
import { isSidecar } from "#rules/container-resources.ts";

export interface HostPort {
  readonly ip: string;
  /** Protocol and number. */
  readonly port: string;
}

const ANY_IP = "0.0.0.0";

/** For containers that run as long as the pod. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const lasting = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  return lasting.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostIP, protocol, hostPort }) => ({ ip: hostIP || ANY_IP, port: `${protocol || "TCP"} ${hostPort}` })),
  );
}

export class HostPorts {
  /** Addresses by port. */
  readonly #taken = new Map<string, Set<string>>();

  add({ ip, port }: HostPort): void {
    const addresses = this.#taken.get(port);
    if (addresses === undefined) this.#taken.set(port, new Set([ip]));
    else addresses.add(ip);
  }

  remove({ ip, port }: HostPort): void {
    const addresses = this.#taken.get(port);
    addresses?.delete(ip);
    if (addresses?.size === 0) this.#taken.delete(port);
  }

  /** A port on all addresses conflicts with the same port on any address. */
  clashesWith({ ip, port }: HostPort): boolean {
    const addresses = this.#taken.get(port);
    return addresses !== undefined && (ip === ANY_IP || addresses.has(ANY_IP) || addresses.has(ip));
  }
}
