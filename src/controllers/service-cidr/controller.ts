/**
 * Keeps ServiceCIDRs while Services have addresses from them.
 *
 * Keeps true:  a ServiceCIDR has the finalizer networking.k8s.io/service-cidr-finalizer and the condition Ready. A
 *              deleted one stays, with Ready False, while an address of a Service would be in no other ServiceCIDR;
 *              otherwise the finalizer is removed 10 seconds after the deletion.
 * Requeues:    for the rest of these 10 seconds. A failure is retried 15 times.
 * Upstream:    pkg/controller/servicecidrs.
 * Deviations:  none.
 */

import { IPAddresses, ServiceCIDRs } from "#api/generated/resources/networking-v1.ts";
import { events, patch } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { eventCause } from "#kit/trace.ts";
import { containsAddress, isManaged, isOverlapping, type StoredIpAddress } from "./containment.ts";
import { type Deps, syncServiceCidr } from "./sync.ts";

const NAME = "service-cidr-controller";
const WORKERS = 5;
const RETRIES_MAX = 15;

export const serviceCidrController: ControllerDescriptor = keyedController({
  name: NAME,
  contract: {
    watches: [ServiceCIDRs, IPAddresses],
    reads: [],
    writes: [patch(ServiceCIDRs), patch(ServiceCIDRs, "status"), ...events],
  },
  build(parts) {
    const cidrs = parts.informer(ServiceCIDRs);
    const addresses = parts.informer(IPAddresses);
    const deps: Deps = {
      clock: parts.context.clock,
      cidrs,
      addresses,
      cidrsApi: parts.client.resource(ServiceCIDRs),
      recorder: parts.recorder(NAME),
    };
    const queue = parts.queue({ name: "ipaddresses" });
    parts.enqueue(cidrs, queue, { on: ["update", "delete"] });
    parts.handle(cidrs, {
      // A new range may contain addresses that block the deletion of other ranges.
      onAdd(added) {
        const cause = eventCause(ServiceCIDRs, "add", added);
        queue.add(added.metadata.name, cause);
        for (const cidr of cidrs.lister.list()) if (isOverlapping(cidr, added)) queue.add(cidr.metadata.name, cause);
      },
    });
    const enqueueContaining = (event: "add" | "delete", address: StoredIpAddress): void => {
      if (!isManaged(address)) return;
      for (const cidr of cidrs.lister.list()) {
        if (containsAddress(cidr, address)) queue.add(cidr.metadata.name, eventCause(IPAddresses, event, address));
      }
    };
    parts.handle(addresses, {
      onAdd: (address) => enqueueContaining("add", address),
      onDelete: (address) => enqueueContaining("delete", address),
    });
    parts.work({
      queue,
      workers: WORKERS,
      retriesMax: RETRIES_MAX,
      retryVerbosity: 2,
      sync: (name, signal) => syncServiceCidr(name, deps, signal),
    });
  },
});
