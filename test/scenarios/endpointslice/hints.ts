// Hints of endpoints, by traffic distribution and by the mode Auto.

import { expect } from "vitest";
import { Nodes, Services } from "#api/generated/resources/core-v1.ts";
import { makeUnready } from "#test/stage/pods.ts";
import { oftenTold, type ScenarioText } from "#test/stage/scenario.ts";
import {
  createNode,
  createService,
  createServingPod,
  type StoredSlice,
  setNodeReady,
  untilSlice,
} from "#test/stage/services.ts";

const AUTO = { "service.kubernetes.io/topology-mode": "Auto" };

/** The sorted zones of the hints: "zone-a,zone-b"; "-" for an endpoint without hints. */
const zonesOf = ({ endpoints }: StoredSlice): string =>
  (endpoints ?? [])
    .map(({ hints }) => (hints?.forZones ?? []).map(({ name }) => name).join("+") || "-")
    .toSorted()
    .join();

const nodesOf = ({ endpoints }: StoredSlice): readonly (string | undefined)[] =>
  (endpoints ?? []).flatMap(({ hints }) => hints?.forNodes?.map(({ name }) => name) ?? []);

export const hints: readonly ScenarioText[] = [
  {
    name: "endpointslice/14, endpointslice/15 hints ready endpoints for their zone and node by traffic distribution",
    async play(stage) {
      const zoned = await createNode(stage, "zoned", { zone: "zone-a" });
      const bare = await createNode(stage, "bare");
      await createServingPod(stage, "a", zoned, "10.1.0.1");
      await createServingPod(stage, "b", bare, "10.1.0.2");
      await createServingPod(stage, "c", zoned, "10.1.0.3", { isReady: false });
      await stage.settle();
      await createService(stage, { trafficDistribution: "PreferClose" });
      const close = await untilSlice(stage, (slice) => zonesOf(slice) === "-,-,zone-a");
      expect(nodesOf(close)).toEqual([]);
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { trafficDistribution: "PreferSameNode" } });
      await untilSlice(stage, (slice) => zonesOf(slice) === "-,-,zone-a" && nodesOf(slice).length === 2);
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { trafficDistribution: "PreferSameZone" } });
      await untilSlice(stage, (slice) => zonesOf(slice) === "-,-,zone-a" && nodesOf(slice).length === 0);
      await stage.settle();
      await makeUnready(stage, "a");
      await untilSlice(stage, (slice) => zonesOf(slice) === "-,-,-");
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { trafficDistribution: null } });
      await stage.settle();
    },
  },
  {
    name: "endpointslice/14, endpointslice/16, endpointslice/18, endpointslice/events hints by zones in the mode Auto, and stops when they go",
    alone: true,
    async play(stage) {
      const first = await createNode(stage, "first", { zone: "zone-a" });
      const second = await createNode(stage, "second", { zone: "zone-b" });
      // Two nodes that do not count: one is unready, one is of the control plane.
      const unready = await createNode(stage, "unready");
      await setNodeReady(stage, unready, false);
      await stage.of(Nodes).create({
        metadata: { name: stage.name("plane"), labels: { "node-role.kubernetes.io/control-plane": "" } },
      });
      await createServingPod(stage, "a", first, "10.1.0.1");
      await createServingPod(stage, "b", second, "10.1.0.2");
      await stage.settle();
      await createService(stage, {}, { annotations: AUTO });
      await untilSlice(stage, (slice) => zonesOf(slice) === "zone-a,zone-b");
      await stage.event(
        "TopologyAwareHintsEnabled",
        ({ type, message }) =>
          type === "Normal" && message === "Topology Aware Hints has been enabled, addressType: IPv4",
      );
      await stage.settle();
      await stage.of(Nodes).patch(second, { metadata: { labels: { "topology.kubernetes.io/zone": "zone-a" } } });
      await untilSlice(stage, (slice) => zonesOf(slice) === "-,-");
      await stage.event(
        "TopologyAwareHintsDisabled",
        ({ type, message }) =>
          type === "Warning" &&
          message ===
            "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4",
      );
      await stage.settle();
      await stage.of(Nodes).patch(second, { metadata: { labels: { "topology.kubernetes.io/zone": "zone-b" } } });
      await stage.settle();
      await stage.of(Services).patch("web", { metadata: { labels: { touched: "1" } } });
      await untilSlice(stage, (slice) => zonesOf(slice) === "zone-a,zone-b");
      await stage.settle();
      await stage
        .of(Services)
        .patch("web", { metadata: { annotations: { "service.kubernetes.io/topology-mode": "Disabled" } } });
      await untilSlice(stage, (slice) => zonesOf(slice) === "-,-");
      await stage.event(
        "TopologyAwareHintsDisabled",
        ({ message }) => message === "Topology Aware Hints has been disabled, addressType: IPv4",
      );
    },
    chance: [oftenTold("Go syncs again, and says it again, when it sees its write before the answer to it")],
  },
  {
    name: "endpointslice/17 lends endpoints of a zone that has too many to one that has too few",
    alone: true,
    async play(stage) {
      const first = await createNode(stage, "first", { zone: "zone-a" });
      const second = await createNode(stage, "second", { zone: "zone-b" });
      for (const number of [1, 2, 3]) await createServingPod(stage, `a-${number}`, first, `10.1.0.${number}`);
      await createServingPod(stage, "b", second, "10.1.0.4");
      await stage.settle();
      await createService(stage, {}, { annotations: AUTO });
      await untilSlice(stage, (slice) => zonesOf(slice) === "zone-a,zone-a,zone-b,zone-b");
      await stage.settle();
      for (const number of [1, 2, 3]) await makeUnready(stage, `a-${number}`);
      await untilSlice(stage, (slice) => zonesOf(slice) === "-,-,-,-");
      await stage.event(
        "TopologyAwareHintsDisabled",
        ({ message }) => message === "Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4",
      );
    },
    chance: [
      {
        where: /\bendpoints\.\d|writes of phase [23] › endpointslice-controller: .* › \d+$|metadata\.generation/,
        reason: "Go lends any of them, and pods become unready one by one",
      },
      { where: /writes of Events|events ›|Endpoints web/, reason: "pods become unready one by one" },
    ],
    exceptions: [
      { where: /metadata\.generation/, reason: "syncService: a cache that lags makes one write of several changes" },
      {
        where: /end state › Endpoints .* › metadata\.annotations/,
        reason: "TriggerTimeTracker: the time is that of the oldest change that the caches have shown",
      },
    ],
  },
];
