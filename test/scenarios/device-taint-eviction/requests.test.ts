// Device taint eviction with a failing API server, and with pods that others delete.

import { afterEach, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import { refusal } from "#test/stage/faulty-network.ts";
import { podSpec } from "#test/stage/pods.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";
import { broken, DRIVER } from "./steps.ts";

let stage: WireStage;
afterEach(() => stage.stop());

/** Creates a pod on a node, with a device of a pool that is not published yet. */
async function runUser(): Promise<void> {
  stage = await openWire({ controllers: ["device-taint-eviction-controller"] });
  const resourceClaims = [{ name: "gpu", resourceClaimName: "gpu" }];
  const pod = await stage.of(Pods).create({
    metadata: { name: "user" },
    spec: { ...podSpec, nodeName: "node-1", resourceClaims },
  });
  const requests = [{ name: "gpu", exactly: { deviceClassName: DRIVER } }];
  await stage.of(ResourceClaims).create({ metadata: { name: "gpu" }, spec: { devices: { requests } } });
  const { name, uid } = pod.metadata;
  await stage.of(ResourceClaims).updateStatus("gpu", (claim) => ({
    ...claim,
    status: {
      allocation: { devices: { results: [{ request: "gpu", driver: DRIVER, pool: "pool", device: "gpu-0" }] } },
      reservedFor: [{ resource: "pods", name, uid }],
    },
  }));
  await stage.pass(1000);
}

/** Publishes the tainted device. */
async function publish(): Promise<void> {
  const pool = { name: "pool", generation: 1, resourceSliceCount: 1 };
  const devices = [{ name: "gpu-0", taints: [broken] }];
  const spec = { driver: DRIVER, pool, allNodes: true, devices };
  await stage.of(ResourceSlices).create({ metadata: { name: "slice" }, spec });
}

it("device-taint-eviction/6, device-taint-eviction/tests tries again when the pod cannot be read", async () => {
  await runUser();
  stage.network.refuse("GET pods", refusal(500, "InternalError"));
  await publish();
  await stage.of(Pods).until("user", ({ metadata }) => metadata.deletionTimestamp !== undefined);
  await stage.pass(60_000);
  expect(stage.asked()).toEqual(["GET pods/user", "GET pods/user", "PATCH pods/user/status", "DELETE pods/user"]);
});

it("device-taint-eviction/6, device-taint-eviction/tests leaves a pod that is gone when it is read", async () => {
  await runUser();
  const { namespace, client } = stage;
  const pod = { namespace, name: "user", options: { gracePeriodSeconds: 0 } };
  stage.network.before("GET pods", async () => {
    await client.resource(Pods).delete(pod, new AbortController().signal);
  });
  await publish();
  await stage.pass(60_000);
  expect(stage.asked()).toEqual(["GET pods/user"]);
});
