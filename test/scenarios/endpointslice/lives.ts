// The life of slices: their labels and owners, changes by others, and Services that are created and deleted.

import { expect } from "vitest";
import { Pods, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { formatTime } from "#api/time.ts";
import { makeReady, makeUnready } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  addressesOf,
  createNode,
  createService,
  createServingPod,
  HEADLESS,
  hasAddresses,
  MANAGED_BY,
  SERVICE_NAME,
  type StoredSlice,
  serveInEndingNamespace,
  untilSlice,
  untilSlices,
} from "#test/stage/services.ts";
import type { Stage } from "#test/stage/stage.ts";

const CONTROLLER = "endpointslice-controller.k8s.io";
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

const writeCount = async (stage: Stage): Promise<number> =>
  (await stage.writes()).filter(({ who }) => who === "endpointslice-controller").length;

const triggerTime = ({ metadata }: StoredSlice): string | undefined => metadata.annotations?.[TRIGGER_TIME];

export const lives: readonly ScenarioText[] = [
  {
    name: "endpointslice/10, endpointslice/12, endpointslice/writes makes an empty slice for a Service without pods",
    async play(stage) {
      const own = { team: "a", [SERVICE_NAME]: "other", [MANAGED_BY]: "me", [HEADLESS]: "no" };
      const { metadata } = await createService(stage, {}, { labels: own });
      const slice = await untilSlice(stage);
      expect(slice).toMatchObject({
        addressType: "IPv4",
        metadata: {
          generateName: "web-",
          labels: { team: "a", [SERVICE_NAME]: "web", [MANAGED_BY]: CONTROLLER },
          ownerReferences: [
            {
              apiVersion: "v1",
              kind: "Service",
              name: "web",
              uid: metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
      });
      expect(Object.keys(slice.metadata.labels ?? {})).toHaveLength(3);
      expect(slice.endpoints ?? []).toEqual([]);
      await stage.settle();
      await stage.of(Services).patch("web", { metadata: { labels: { [HEADLESS]: "yes", [MANAGED_BY]: "you" } } });
      await stage.settle();
      await stage.calm(async () => expect(await writeCount(stage)).toBe(1));
    },
  },
  {
    name: "endpointslice/9, endpointslice/12 gives its slices the labels of the Service",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await stage.settle();
      await createService(stage, {}, { labels: { team: "a" } });
      await untilSlice(stage, ({ metadata }) => metadata.labels?.team === "a");
      await stage.settle();
      await stage.of(Services).patch("web", { metadata: { labels: { team: null, tier: "front" } } });
      const { metadata } = await untilSlice(stage, ({ metadata }) => metadata.labels?.tier === "front");
      expect(metadata.labels).toEqual({ tier: "front", [SERVICE_NAME]: "web", [MANAGED_BY]: CONTROLLER });
      await stage.settle();
      // A slice that a user relabels gets its labels back.
      await stage.of(EndpointSlices).patch(metadata.name, { metadata: { labels: { tier: "back", mine: "1" } } });
      const { metadata: again } = await untilSlice(stage, ({ metadata }) => metadata.labels?.tier === "front");
      expect(again.labels).toEqual(metadata.labels);
    },
  },
  {
    name: "endpointslice/1, endpointslice/3 restores a slice that others change or delete",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await stage.settle();
      await createService(stage);
      const { metadata } = await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.settle();
      const slices = stage.of(EndpointSlices);
      await slices.patch(metadata.name, { endpoints: [{ addresses: ["10.9.9.9"] }] });
      await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.settle();
      await slices.delete(metadata.name);
      // A manager that has not written the slice since its start does not notice its deletion, as upstream.
      await stage.calm(async () => {
        await untilSlice(stage, hasAddresses("10.1.0.1"));
      });
      await stage.settle();
      await stage.of(Services).patch("web", { metadata: { labels: { touched: "1" } } });
      await untilSlice(stage, ({ metadata }) => metadata.labels?.touched === "1");
    },
    exceptions: [
      {
        where: /metadata\.generation/,
        reason: "onEndpointSliceDelete: a slice that is not tracked is not missed, and made with its labels later",
      },
    ],
  },
  {
    name: "endpointslice/1, endpointslice/3, endpointslice/5, endpointslice/6 deletes slices that are given to it and not its own",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await stage.settle();
      await createService(stage);
      await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.settle();
      const slices = stage.of(EndpointSlices);
      const foreign = (name: string, addressType: string, address: string) => ({
        metadata: { name, labels: { [SERVICE_NAME]: "web", [MANAGED_BY]: "someone-else" } },
        addressType,
        endpoints: [{ addresses: [address] }],
        ports: [{ name: "", port: 80, protocol: "TCP" }],
      });
      await slices.create(foreign("four", "IPv4", "10.9.9.9"));
      await slices.create(foreign("six", "IPv6", "2001:db8::9"));
      await stage.settle();
      await untilSlices(stage, (all) => all.length === 3);
      await slices.patch("four", { metadata: { labels: { [MANAGED_BY]: CONTROLLER } } });
      await slices.untilGone("four");
      await stage.settle();
      await slices.patch("six", { metadata: { labels: { [MANAGED_BY]: CONTROLLER } } });
      await slices.untilGone("six");
      await untilSlice(stage, hasAddresses("10.1.0.1"));
    },
  },
  {
    name: "endpointslice/2 leaves Services without a selector and external names alone",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await createService(stage, { selector: {} }, { name: "bare" });
      await stage.of(Services).create({
        metadata: { name: "web" },
        spec: {
          type: "ExternalName",
          externalName: "www.example.com",
          selector: { app: "web" },
          ports: [{ port: 80 }],
        },
      });
      await stage.settle();
      expect(await stage.of(EndpointSlices).list()).toEqual([]);
      await stage.of(Services).patch("web", { spec: { type: "ClusterIP", externalName: null } });
      await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.settle();
      // The slices stay.
      await stage.of(Services).patch("web", { spec: { selector: null } });
      await stage.settle();
      await untilSlice(stage, hasAddresses("10.1.0.1"));
    },
  },
  {
    name: "endpointslice/2, endpointslice/6 leaves slices of a deleted Service, and replaces them for its successor",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await stage.settle();
      await createService(stage);
      const { metadata } = await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.settle();
      await stage.of(Services).delete("web");
      await stage.settle();
      expect((await stage.of(EndpointSlices).get(metadata.name)).metadata.uid).toBe(metadata.uid);
      const successor = await createService(stage);
      const slice = await untilSlice(stage, ({ metadata: { uid } }) => uid !== metadata.uid);
      expect(slice.metadata.ownerReferences).toMatchObject([{ uid: successor.metadata.uid }]);
      expect(addressesOf(slice)).toEqual(["10.1.0.1"]);
    },
  },
  {
    name: "endpointslice/4 waits for its own writes to come back, and writes nothing twice",
    alone: true,
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await untilSlice(stage);
      await stage.settle();
      stage.hold(EndpointSlices);
      await createServingPod(stage, "a", node, "10.1.0.1");
      await untilSlice(stage, hasAddresses("10.1.0.1"));
      await createServingPod(stage, "b", node, "10.1.0.2");
      await stage.settle(2000);
      await stage.calm(async () => expect(await writeCount(stage)).toBe(2));
      stage.release(EndpointSlices);
      await untilSlice(stage, hasAddresses("10.1.0.1", "10.1.0.2"));
      await stage.settle();
      await stage.calm(async () => expect(await writeCount(stage)).toBe(3));
    },
  },
  {
    name: "endpointslice/13 says when the change happened that it wrote",
    async play(stage) {
      const node = await createNode(stage, "node");
      const { metadata } = await createService(stage);
      const first = await untilSlice(stage);
      expect(triggerTime(first)).toBe(metadata.creationTimestamp);
      await stage.settle();
      const readySinceMs = stage.now() + 60_000;
      await createServingPod(stage, "a", node, "10.1.0.1", { readySinceMs });
      const second = await untilSlice(stage, hasAddresses("10.1.0.1"));
      expect(triggerTime(second)).toBe(formatTime(readySinceMs));
      await stage.settle();
      await makeUnready(stage, "a", readySinceMs + 1000);
      await untilSlice(stage, (slice) => triggerTime(slice) === formatTime(readySinceMs + 1000));
      await stage.settle();
      // An earlier time is ignored.
      await makeReady(stage, "a", readySinceMs);
      await untilSlice(stage, (slice) => triggerTime(slice) === undefined);
      await stage.settle();
      await stage.of(Pods).patch("a", { metadata: { labels: { app: "left" } } });
      const last = await untilSlice(stage, hasAddresses());
      expect(triggerTime(last)).toBe(undefined);
    },
  },
  {
    name: "endpointslice/11 gives up silently in a namespace that is being deleted",
    async play(stage) {
      const name = await serveInEndingNamespace(stage);
      expect(await stage.of(EndpointSlices, name).list()).toEqual([]);
    },
  },
];
