// The ServiceCIDR controller keeps ranges of service addresses with a finalizer while Services need them. Each scenario
// has a separate range. The API server gives the Services of other plays addresses of any IPv4 range, so a range whose
// addresses matter is IPv6, or has no free address.

import { expect } from "vitest";
import { IPAddresses, ServiceCIDRs } from "#api/generated/resources/networking-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import { type Excuse, type Scenario, type ScenarioText, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

type StoredServiceCidr = ObjectOf<typeof ServiceCIDRs>;

const FINALIZER = "networking.k8s.io/service-cidr-finalizer";

const readyOf = ({ status }: StoredServiceCidr) => status?.conditions?.find(({ type }) => type === "Ready");
const isReady = (cidr: StoredServiceCidr): boolean => readyOf(cidr)?.status === "True";
const isBlocked = (cidr: StoredServiceCidr): boolean => readyOf(cidr)?.status === "False";

/** Creates a ServiceCIDR and waits until the controller has added its finalizer and the Ready condition. */
async function createCidr(stage: Stage, base: string, ...cidrs: readonly string[]): Promise<string> {
  const name = stage.name(base);
  await stage.of(ServiceCIDRs).create({ metadata: { name }, spec: { cidrs } });
  await stage.of(ServiceCIDRs).until(name, (cidr) => isReady(cidr) && cidr.metadata.finalizers?.[0] === FINALIZER);
  return name;
}

/** Creates an IPAddress as the API server does for a Service. */
async function createAddress(stage: Stage, address: string, managedBy = "ipallocator.k8s.io"): Promise<string> {
  const name = stage.reserve(address);
  const labels = {
    "ipaddress.kubernetes.io/managed-by": managedBy,
    "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
  };
  const parentRef = { group: "", resource: "services", name: "web", namespace: stage.namespace };
  await stage.of(IPAddresses).create({ metadata: { name, labels }, spec: { parentRef } });
  return name;
}

async function untilBlocked(stage: Stage, name: string): Promise<void> {
  const cidr = await stage.of(ServiceCIDRs).until(name, isBlocked);
  expect(readyOf(cidr)).toMatchObject({
    reason: "Terminating",
    message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
  });
}

const READY_AGAIN: Excuse = {
  where: /service-cidrs-controller: servicecidrs \S+ › \d+$/,
  reason: "servicecidrs_controller.go, sync: the finalizer that is seen before the condition makes the condition again",
};

const texts: readonly ScenarioText[] = [
  {
    name: "service-cidr/2, service-cidr/writes holds a new ServiceCIDR and says that it is ready",
    async play(stage) {
      const name = await createCidr(stage, "range", "10.101.0.0/24");
      const cidr = await stage.of(ServiceCIDRs).get(name);
      expect(readyOf(cidr)).toMatchObject({ reason: "", message: "Kubernetes Service CIDR is ready" });
    },
  },
  {
    name: "service-cidr/2, service-cidr/6 restores the finalizer and the condition, and leaves what is right alone",
    async play(stage) {
      const name = await createCidr(stage, "range", "10.102.0.0/24");
      await stage.settle();
      await stage.of(ServiceCIDRs).patch(name, { metadata: { finalizers: null } });
      await stage.of(ServiceCIDRs).until(name, ({ metadata }) => metadata.finalizers?.[0] === FINALIZER);
      await stage.settle();
      const changed = {
        type: "Ready",
        status: "True",
        reason: "",
        message: "changed",
        lastTransitionTime: formatTime(stage.now()),
      };
      const status = { conditions: [changed] };
      await stage.of(ServiceCIDRs).patch(name, { status }, { subresource: "status" });
      await stage.of(ServiceCIDRs).until(name, (cidr) => readyOf(cidr)?.message === "Kubernetes Service CIDR is ready");
      await stage.settle();
      await stage.of(ServiceCIDRs).patch(name, { metadata: { labels: { changed: "yes" } } });
    },
  },
  {
    name: "service-cidr/5 lets a ServiceCIDR without addresses go 10 seconds after its deletion",
    async play(stage) {
      const name = await createCidr(stage, "range", "fd00:103::/112");
      await stage.settle();
      await stage.of(ServiceCIDRs).delete(name);
      await stage.pass(5000);
      expect((await stage.of(ServiceCIDRs).get(name)).metadata.finalizers).toEqual([FINALIZER]);
      await stage.of(ServiceCIDRs).untilGone(name);
    },
  },
  {
    name: "service-cidr/3, service-cidr/4 keeps a ServiceCIDR with the address of a Service until the address is gone",
    async play(stage) {
      const name = await createCidr(stage, "range", "fd00:104::/112");
      const address = await createAddress(stage, "fd00:104::7");
      await stage.settle();
      await stage.of(ServiceCIDRs).delete(name);
      await untilBlocked(stage, name);
      await stage.settle();
      await stage.of(IPAddresses).delete(address);
      await stage.of(ServiceCIDRs).untilGone(name);
    },
  },
  {
    name: "service-cidr/1, service-cidr/3 is not held by addresses that are no Service's, of the network, or the broadcast address",
    async play(stage) {
      const addresses = [
        await createAddress(stage, "10.105.0.0"),
        await createAddress(stage, "10.105.0.1", "example.com"),
        await createAddress(stage, "10.105.0.2", "example.com"),
        await createAddress(stage, "10.105.0.3"),
      ];
      const name = await createCidr(stage, "range", "10.105.0.0/30");
      await stage.settle();
      await stage.of(ServiceCIDRs).delete(name);
      await stage.of(ServiceCIDRs).untilGone(name);
      for (const address of addresses) await stage.of(IPAddresses).delete(address);
    },
  },
  {
    name: "service-cidr/3 lets a ServiceCIDR go whose addresses another one contains",
    async play(stage) {
      await createCidr(stage, "outer", "10.106.0.0/16");
      const name = await createCidr(stage, "inner", "10.106.0.0/24");
      const address = await createAddress(stage, "10.106.0.7");
      await stage.settle();
      await stage.of(ServiceCIDRs).delete(name);
      await stage.of(ServiceCIDRs).untilGone(name);
      await stage.of(IPAddresses).delete(address);
    },
  },
  {
    name: "service-cidr/1, service-cidr/4 lets a ServiceCIDR go when a new one contains its addresses",
    async play(stage) {
      const name = await createCidr(stage, "old", "10.107.0.0/24");
      const address = await createAddress(stage, "10.107.0.7");
      await stage.settle();
      await stage.of(ServiceCIDRs).delete(name);
      await untilBlocked(stage, name);
      await stage.settle();
      await createCidr(stage, "new", "10.107.0.0/20");
      await stage.of(ServiceCIDRs).untilGone(name);
      await stage.of(IPAddresses).delete(address);
    },
  },
  {
    name: "service-cidr/3, service-cidr/traps keeps a ServiceCIDR of two families with an address of the second",
    async play(stage) {
      await createCidr(stage, "outer", "10.108.0.0/16");
      const name = await createCidr(stage, "dual", "10.108.0.0/24", "fd00:108::/112");
      const address = await createAddress(stage, "fd00:108::7");
      await stage.settle();
      await stage.of(ServiceCIDRs).delete(name);
      await untilBlocked(stage, name);
      await stage.settle();
      await stage.of(IPAddresses).delete(address);
      await stage.of(ServiceCIDRs).untilGone(name);
    },
  },
  {
    name: "service-cidr/1, service-cidr/4 blocks a ServiceCIDR again when it gets an address while it waits",
    async play(stage) {
      const name = await createCidr(stage, "range", "fd00:109::/112");
      await stage.settle();
      await stage.of(ServiceCIDRs).delete(name);
      const address = await createAddress(stage, "fd00:109::7");
      await untilBlocked(stage, name);
      await stage.settle();
      await stage.of(IPAddresses).delete(address);
      await stage.of(ServiceCIDRs).untilGone(name);
    },
  },
];

export const scenarios: readonly Scenario[] = scenariosOf(
  "service-cidr-controller",
  { cast: "network" },
  texts.map((text) => ({ ...text, chance: [READY_AGAIN] })),
);
