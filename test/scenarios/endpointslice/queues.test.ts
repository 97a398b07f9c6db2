// Retries of the endpoints controllers: the delays of 15 retries, and no more.

import { expect, it } from "vitest";
import { Endpoints, Services } from "#api/generated/resources/core-v1.ts";
import { TransportError } from "#base/http.ts";
import { EVERY_TIME } from "#test/stage/faulty-network.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";

const doubling = (firstMs: number, maxMs: number): readonly number[] =>
  Array.from({ length: 15 }, (_, retry) => Math.min(firstMs * 2 ** retry, maxMs));

async function createSelecting(stage: WireStage): Promise<void> {
  const spec = { selector: { app: "web" }, ports: [{ port: 80 }] };
  await stage.of(Services).create({ metadata: { name: "web" }, spec });
}

async function createMirrored(stage: WireStage): Promise<void> {
  await stage.of(Endpoints).create({ metadata: { name: "web" }, subsets: [{ addresses: [{ ip: "10.1.0.1" }] }] });
  await stage.of(Services).create({ metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
}

it.each([
  ["endpoints-controller", "endpoints", createSelecting, doubling(5, 1_000_000)],
  ["endpointslice-controller", "endpointslices", createSelecting, doubling(1000, 1_000_000)],
  ["endpointslice-mirroring-controller", "endpointslices", createMirrored, doubling(1000, 100_000)],
] as const)(
  "endpoints/queues, endpointslice/config, endpointslice-mirroring/queues %s tries 15 times again",
  async (controller, resource, begin, delays) => {
    const tries: number[] = [];
    const stage = await openWire({ controllers: [controller] });
    const refuse = (): void => {
      tries.push(stage.now());
      throw new TransportError("reset", "read: connection reset by peer");
    };
    stage.network.before(`POST ${resource}`, refuse, EVERY_TIME);
    try {
      await begin(stage);
      await stage.pass(2 * 3600 * 1000);
      expect(tries.slice(1).map((time, index) => time - (tries[index] ?? 0))).toEqual([...delays]);
    } finally {
      await stage.stop();
    }
  },
);
