// EndpointSlices that mirror Endpoints of users.

import { expect } from "vitest";
import { Endpoints, Namespaces, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { EndpointSubset } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { ObjectOf } from "#api/resource.ts";
import { oftenTold, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import {
  createNode,
  createService,
  createServingPod,
  MANAGED_BY,
  MIRRORING,
  SERVICE_NAME,
  type StoredSlice,
} from "#test/stage/services.ts";
import type { Stage } from "#test/stage/stage.ts";

type StoredEndpoints = ObjectOf<typeof Endpoints>;

const SKIP = "endpointslice.kubernetes.io/skip-mirror";
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

const http: EndpointSubset["ports"] = [{ name: "http", port: 80 }];
const subset = (...ips: readonly string[]): EndpointSubset => ({ addresses: ips.map((ip) => ({ ip })), ports: http });

function createEndpoints(
  stage: Stage,
  subsets: readonly EndpointSubset[],
  more: ObjectMeta = {},
): Promise<StoredEndpoints> {
  return stage.of(Endpoints).create({ metadata: { ...more, name: "web" }, subsets });
}

/** Creates a Service whose endpoints users write. */
const createBareService = (stage: Stage) => createService(stage, { selector: {} });

/** Addresses (unready ones with "!") and ports: "IPv4 10.1.0.1 !10.1.0.2: http 80". */
const sliceText = ({ addressType, endpoints, ports }: StoredSlice): string => {
  const ips = (endpoints ?? []).map(
    ({ addresses, conditions }) => (conditions?.ready ? "" : "!") + addresses.join("+"),
  );
  const shown = (ports ?? []).map(({ name, port }) => `${name} ${port}`).toSorted();
  return `${addressType} ${ips.toSorted().join(" ")}: ${shown.join(", ")}`;
};

const isMirror = ({ metadata: { labels } }: StoredSlice): boolean => labels?.[MANAGED_BY] === MIRRORING;

/** Waits until these are the mirrors, and returns them. */
async function untilMirrors(stage: Stage, ...texts: readonly string[]): Promise<readonly StoredSlice[]> {
  const all = await stage
    .of(EndpointSlices)
    .untilAll((slices) => slices.filter(isMirror).map(sliceText).toSorted().join("; ") === texts.join("; "));
  return all.filter(isMirror);
}

const verbs = async (stage: Stage): Promise<string> =>
  (await stage.writes())
    .filter(({ who }) => who === "endpointslicemirroring-controller")
    .map(({ verb }) => verb)
    .join();

export const scenarios: readonly Scenario[] = scenariosOf("endpointslice-mirroring-controller", { cast: "network" }, [
  {
    name: "endpointslice-mirroring/1, endpointslice-mirroring/5, endpointslice-mirroring/6, endpointslice-mirroring/8, endpointslice-mirroring/writes mirrors Endpoints that come, change and go",
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      const { metadata } = await createEndpoints(stage, [
        {
          addresses: [{ ip: "10.1.0.1", hostname: "first", nodeName: "node-a", targetRef: { kind: "Pod", name: "a" } }],
          notReadyAddresses: [{ ip: "10.1.0.2" }],
          ports: http,
        },
      ]);
      const [mirror] = await untilMirrors(stage, "IPv4 !10.1.0.2 10.1.0.1: http 80");
      expect(mirror?.metadata).toMatchObject({
        generateName: "web-",
        labels: { [SERVICE_NAME]: "web", [MANAGED_BY]: MIRRORING },
        ownerReferences: [
          {
            apiVersion: "v1",
            kind: "Endpoints",
            name: "web",
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      });
      expect(mirror?.endpoints?.find(({ hostname }) => hostname === "first")).toEqual({
        addresses: ["10.1.0.1"],
        conditions: { ready: true },
        hostname: "first",
        nodeName: "node-a",
        targetRef: { kind: "Pod", name: "a" },
      });
      await stage.settle();
      await stage.of(Endpoints).patch("web", { subsets: [subset("10.1.0.3")] });
      const [changed] = await untilMirrors(stage, "IPv4 10.1.0.3: http 80");
      expect(changed?.metadata.uid).toBe(mirror?.metadata.uid);
      await stage.settle();
      await stage.of(Endpoints).delete("web");
      await untilMirrors(stage);
    },
  },
  {
    name: "endpointslice-mirroring/1, endpointslice-mirroring/2 mirrors no Endpoints that say so, are locks, or have no Service",
    async play(stage) {
      const endpoints = stage.of(Endpoints);
      await createEndpoints(stage, [subset("10.1.0.1")], { labels: { [SKIP]: "true" } });
      const leader = { "control-plane.alpha.kubernetes.io/leader": "{}" };
      await endpoints.create({ metadata: { name: "lock", annotations: leader }, subsets: [subset("10.1.0.9")] });
      await createService(stage, { selector: {} }, { name: "lock" });
      await stage.settle();
      await endpoints.patch("web", { metadata: { labels: { [SKIP]: null } } });
      await stage.settle();
      expect(await stage.of(EndpointSlices).list()).toEqual([]);
      await createBareService(stage);
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      await endpoints.patch("web", { metadata: { labels: { [SKIP]: "true" } } });
      await untilMirrors(stage);
      await stage.settle();
      await endpoints.patch("web", { metadata: { labels: { [SKIP]: "false" } } });
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      await stage.of(Services).delete("web");
      await untilMirrors(stage);
    },
    chance: [
      {
        where: /writes of phase 6/,
        reason: "the Service goes, and its Endpoints after it: Go may delete a mirror twice before it sees the first",
      },
    ],
  },
  {
    name: "endpointslice-mirroring/1, endpointslice-mirroring/2 takes mirrors away when the Service gets a selector, and makes them when it loses it",
    async play(stage) {
      // Endpoints of a Service with a selector are not mirrored.
      await createServingPod(stage, "a", await createNode(stage, "node"), "10.1.0.5");
      await createBareService(stage);
      await createEndpoints(stage, [subset("10.1.0.1")]);
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { selector: { app: "web" } } });
      await untilMirrors(stage);
      await stage.of(Endpoints).until("web", ({ subsets }) => subsets?.[0]?.addresses?.[0]?.ip === "10.1.0.5");
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { selector: null } });
      await stage.of(Endpoints).patch("web", { subsets: [subset("10.1.0.2")] });
      await untilMirrors(stage, "IPv4 10.1.0.2: http 80");
    },
    chance: [{ where: /writes of phase 3/, reason: "whether the Service or the Endpoints are seen first" }],
  },
  {
    name: "endpointslice-mirroring/5 has a slice for each address type and set of ports",
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      await createEndpoints(stage, [
        subset("10.1.0.1", "2001:db8::0001"),
        { addresses: [{ ip: "10.1.0.1" }], ports: [{ name: "dns", port: 53, protocol: "UDP" }] },
        { addresses: [{ ip: "10.1.0.2" }], ports: [{ name: "dns", port: 53, protocol: "UDP" }] },
      ]);
      await untilMirrors(
        stage,
        "IPv4 10.1.0.1 10.1.0.2: dns 53",
        "IPv4 10.1.0.1: http 80",
        "IPv6 2001:db8::1: http 80",
      );
      await stage.settle();
      await stage.of(Endpoints).patch("web", { subsets: [subset("10.1.0.1")] });
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
    },
  },
  {
    name: "endpointslice-mirroring/7, endpointslice-mirroring/8 copies labels and annotations, and writes nothing when all is right",
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      const annotations = {
        note: "1",
        [TRIGGER_TIME]: "2026-01-01T00:00:00Z",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
      };
      await createEndpoints(stage, [subset("10.1.0.1")], { labels: { team: "a" }, annotations });
      const [first] = await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      expect(first?.metadata.labels).toEqual({ team: "a", [SERVICE_NAME]: "web", [MANAGED_BY]: MIRRORING });
      expect(first?.metadata.annotations).toEqual({ note: "1" });
      await stage.settle();
      await stage.of(Endpoints).patch("web", { metadata: { annotations: { [TRIGGER_TIME]: "2026-01-02T00:00:00Z" } } });
      await stage.settle();
      await stage.calm(async () => expect(await verbs(stage)).toBe("create"));
      await stage.of(Endpoints).patch("web", { metadata: { annotations: { note: "2" }, labels: { team: "b" } } });
      await stage
        .of(EndpointSlices)
        .untilAll((slices) => slices.some(({ metadata }) => metadata.annotations?.note === "2"));
      await stage.settle();
      await stage.calm(async () => expect(await verbs(stage)).toBe("create,update"));
    },
  },
  {
    name: "endpointslice-mirroring/3, endpointslice-mirroring/7 restores mirrors that others change or delete",
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      await createEndpoints(stage, [subset("10.1.0.1")]);
      const [first] = await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      const slices = stage.of(EndpointSlices);
      const name = first?.metadata.name ?? "";
      await slices.patch(name, { endpoints: [{ addresses: ["10.9.9.9"] }] });
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      await slices.delete(name);
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      // A second slice for the same endpoints is superfluous.
      await slices.create({
        metadata: { name: "zz-second", labels: { [SERVICE_NAME]: "web", [MANAGED_BY]: MIRRORING } },
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.9.9.9"] }],
        ports: [{ name: "http", port: 80, protocol: "TCP" }],
      });
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
    },
    chance: [{ where: /writes of phase [45]|objects › EndpointSlice/, reason: "Go keeps any of the two slices" }],
  },
  {
    name: "endpointslice-mirroring/6, endpointslice-mirroring/events, endpointslice-mirroring/config mirrors at most --mirroring-max-endpoints-per-subset addresses of a subset",
    profile: "small-slices",
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      await createEndpoints(stage, [
        {
          addresses: [{ ip: "10.1.0.1" }, { ip: "10.1.0.2" }],
          notReadyAddresses: [{ ip: "10.1.0.3" }, { ip: "10.1.0.4" }, { ip: "10.1.0.5" }],
          ports: http,
        },
      ]);
      await untilMirrors(stage, "IPv4 !10.1.0.3 10.1.0.1 10.1.0.2: http 80");
      await stage.event(
        "TooManyAddressesToMirror",
        ({ message }) =>
          message ===
          "A max of 3 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped",
      );
    },
    chance: [oftenTold("Go syncs again, and says it again, when it sees its write before the answer to it")],
  },
  {
    name: "endpointslice-mirroring/10 gives the name of a mirror that is not needed to a new one",
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      await createEndpoints(stage, [subset("10.1.0.1")]);
      const [first] = await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      await stage
        .of(Endpoints)
        .patch("web", { subsets: [{ addresses: [{ ip: "10.1.0.1" }], ports: [{ name: "http", port: 81 }] }] });
      const [second] = await untilMirrors(stage, "IPv4 10.1.0.1: http 81");
      expect(second?.metadata.uid).toBe(first?.metadata.uid);
      await stage.settle();
      await stage.calm(async () => expect(await verbs(stage)).toBe("create,update"));
    },
  },
  {
    name: "endpointslice-mirroring/10 gives up silently in a namespace that is being deleted",
    async play(stage) {
      const { name } = (await stage.of(Namespaces).create({ metadata: { name: stage.name("going") } })).metadata;
      await stage
        .of(Services, name)
        .create({ metadata: { name: "web" }, spec: { selector: {}, ports: [{ port: 80 }] } });
      const metadata = { name: "web", labels: { [SKIP]: "true" } };
      await stage.of(Endpoints, name).create({ metadata, subsets: [subset("10.1.0.1")] });
      await stage.settle();
      await stage.of(Namespaces).delete(name);
      await stage.of(Endpoints, name).patch("web", { metadata: { labels: { [SKIP]: null } } });
      await stage.untilRefused(1);
      await stage.settle();
      expect(await stage.of(EndpointSlices, name).list()).toEqual([]);
    },
  },
  {
    name: "endpointslice-mirroring/9 makes new Endpoints of the same name the owner of the mirrors",
    alone: true,
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      await createEndpoints(stage, [subset("10.1.0.1")]);
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      stage.hold(Endpoints);
      await stage.of(Endpoints).delete("web");
      const { metadata } = await createEndpoints(stage, [subset("10.1.0.1")]);
      stage.release(Endpoints);
      await stage
        .of(EndpointSlices)
        .untilAll((slices) => slices.some((slice) => slice.metadata.ownerReferences?.[0]?.uid === metadata.uid));
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
    },
    chance: [
      {
        where: /writes of phase 3|EndpointSlice .* › metadata\./,
        reason: "whether Go syncs between the two events it missed",
      },
    ],
  },
  {
    name: "endpointslice-mirroring/4 waits for its own writes to come back, and writes nothing twice",
    alone: true,
    async play(stage) {
      await createBareService(stage);
      await stage.settle();
      await createEndpoints(stage, [subset("10.1.0.1")]);
      await untilMirrors(stage, "IPv4 10.1.0.1: http 80");
      await stage.settle();
      stage.hold(EndpointSlices);
      await stage.of(Endpoints).patch("web", { subsets: [subset("10.1.0.2")] });
      await untilMirrors(stage, "IPv4 10.1.0.2: http 80");
      await stage.of(Endpoints).patch("web", { subsets: [subset("10.1.0.3")] });
      await stage.settle(2000);
      await stage.calm(async () => expect(await verbs(stage)).toBe("create,update"));
      stage.release(EndpointSlices);
      await untilMirrors(stage, "IPv4 10.1.0.3: http 80");
    },
  },
]);
