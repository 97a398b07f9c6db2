// Cases that the comparison with a real server cannot cover in reasonable time: full ranges, races, failing stores and
// restarts.

import { describe, expect, it } from "vitest";
import type { Service } from "#api/generated/types/core-v1.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { addressRange, candidates } from "#kinds/core/service-address-range.ts";
import { NodePorts } from "#kinds/core/service-node-ports.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { type Storage, StorageWriteFailed, type Table } from "../storage/storage.ts";
import { startTestServer, type TestClient, type TestServer } from "../testing.ts";

const SERVICES = "/api/v1/namespaces/default/services";
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const service = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

async function addresses(client: TestClient): Promise<string[]> {
  const { body } = await client.get(ADDRESSES);
  return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
}

describe("addresses of services", () => {
  it("machinery/7.4.r10 are allocated until none is left, the lower part of the range last, and again when they are free", async () => {
    const { direct } = startTestServer();
    const given: string[] = [];
    for (let i = 0; i < 253; i++) {
      const { status, body } = await direct.post(SERVICES, service(`s-${i}`));
      expect(status).toBe(201);
      given.push(body.spec.clusterIP);
    }
    const lower = (ip: string): boolean => Number(ip.split(".")[3]) <= 16;
    expect(new Set(given).size).toBe(253);
    expect(given.findIndex(lower)).toBe(253 - 15);
    const full = await direct.post(SERVICES, service("one-more"));
    expect(full.status).toBe(500);
    expect(full.body.message).toBe(
      'Internal error occurred: failed to allocate a serviceIP for Service "one-more": range is full',
    );
    await direct.delete(`${SERVICES}/s-7`);
    const next = await direct.post(SERVICES, service("one-more"));
    expect(next.body.spec.clusterIP).toBe(given[7]);
  });

  it("machinery/7.4.r10 differ for concurrently created services, and one requested by two goes to only one", async () => {
    const { direct } = startTestServer();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => direct.post(SERVICES, service(`s-${i}`))));
    expect(new Set(answers.map(({ body }) => body.spec.clusterIP)).size).toBe(50);
    const spec = { clusterIP: "10.0.0.5", type: "NodePort", ports: [{ port: 1, nodePort: 30_000 }] };
    const both = await Promise.all(["a", "b"].map((name) => direct.post(SERVICES, service(name, spec))));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    const same = await Promise.all(["c", "c"].map((name) => direct.post(SERVICES, service(name))));
    expect(same.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await addresses(direct)).length).toBe(1 + 50 + 1 + 1);
  });

  it("machinery/7.4.r10 come from additional ranges too, unless these are being deleted", async () => {
    const { direct } = startTestServer();
    const range = (name: string, cidr: string): object => ({
      metadata: { name, finalizers: ["example.com/wait"] },
      spec: { cidrs: [cidr] },
    });
    await direct.post("/apis/networking.k8s.io/v1/servicecidrs", range("more", "10.9.0.0/30"));
    await direct.patch("/apis/networking.k8s.io/v1/servicecidrs/kubernetes/status", "merge", {
      status: {
        conditions: [
          { type: "Ready", status: "False", reason: "Test", message: "", lastTransitionTime: "2026-01-02T03:04:05Z" },
        ],
      },
    });
    const ips = [];
    for (const name of ["a", "b"]) ips.push((await direct.post(SERVICES, service(name))).body.spec.clusterIP);
    expect(ips.sort()).toEqual(["10.9.0.1", "10.9.0.2"]);
    expect((await direct.post(SERVICES, service("c"))).status).toBe(500);
    await direct.delete("/apis/networking.k8s.io/v1/servicecidrs/more");
    await direct.delete(`${SERVICES}/a`);
    expect((await direct.post(SERVICES, service("c"))).status).toBe(500);
    expect(await addresses(direct)).toEqual(["10.0.0.1", expect.stringMatching(/^10\.9\.0\.[12]$/)]);
  });

  it("machinery/7.4.r10 are released when the store refuses the service", async () => {
    const store: { refuses: string } = { refuses: "" };
    const { direct } = startTestServer({ openStorage: (clock) => refusing(new MemoryStorage({ clock }), store) });
    store.refuses = "services";
    const refused = await direct.post(
      SERVICES,
      service("a", { type: "NodePort", ports: [{ port: 1, nodePort: 30_001 }] }),
    );
    expect(refused.status).toBe(500);
    expect(await addresses(direct)).toEqual(["10.0.0.1"]);
    store.refuses = "ipaddresses.networking.k8s.io";
    expect((await direct.post(SERVICES, service("a"))).status).toBe(500);
    store.refuses = "";
    const taken = await direct.post(
      SERVICES,
      service("a", { type: "NodePort", ports: [{ port: 1, nodePort: 30_001 }] }),
    );
    expect(taken.status).toBe(201);
  });

  it("machinery/7.4.r10 survive a restart, and leftovers of a crash are repaired", async () => {
    const before = startTestServer();
    const { direct } = before;
    const spec = {
      clusterIP: "10.0.0.7",
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30_007,
    };
    await direct.post(SERVICES, service("a", { ...spec, ports: [{ port: 1, nodePort: 30_006 }] }));
    await direct.post(SERVICES, service("b", { clusterIP: "10.0.0.8" }));
    const services = before.storage.table("services");
    const gone = services.get("default/b");
    if (gone !== undefined) services.delete(gone, () => gone.object);
    await direct.delete(`${ADDRESSES}/10.0.0.7`);
    before.server.close();
    const after = restarted(before);
    expect(await addresses(after.direct)).toEqual(["10.0.0.1", "10.0.0.7"]);
    for (const nodePort of [30_006, 30_007]) {
      const answer = await after.direct.post(
        SERVICES,
        service("c", { type: "NodePort", ports: [{ port: 1, nodePort }] }),
      );
      expect(answer.body.message).toContain("provided port is already allocated");
    }
    const kubernetes = await after.direct.get(`${SERVICES}/kubernetes`);
    expect((kubernetes.body as Service).metadata?.uid).toBe(
      (await direct.get(`${SERVICES}/kubernetes`)).body.metadata.uid,
    );
  });

  it("machinery/7.4.r10 are not given to the API server when another Service has its address", async () => {
    const before = startTestServer();
    await before.direct.delete(`${SERVICES}/kubernetes`);
    await before.direct.post(SERVICES, service("thief", { clusterIP: "10.0.0.1" }));
    const after = restarted(before);
    expect((await after.direct.get(`${SERVICES}/kubernetes`)).status).toBe(404);
    await after.direct.delete(`${SERVICES}/thief`);
    expect((await restarted(after).direct.get(`${SERVICES}/kubernetes`)).status).toBe(200);
  });
});

describe("ranges", () => {
  it("give every address once, for ranges of any size", () => {
    const all = (cidr: string): string[] => [...candidates(addressRange(cidr) as never, seededRng(cidr))];
    expect(all("10.0.0.0/32")).toEqual([]);
    expect(all("10.0.0.0/31")).toEqual([]);
    expect(all("10.0.0.0/30").sort()).toEqual(["10.0.0.1", "10.0.0.2"]);
    expect(all("255.255.255.0/28").length).toBe(14);
    const large = all("10.0.0.0/20");
    expect([large.length, new Set(large).size]).toEqual([4094, 4094]);
    expect(
      large
        .slice(-256)
        .map((ip) => ip.split(".")[2])
        .every((part) => part === "0" || part === "1"),
    ).toBe(true);
    expect(addressRange("fd00::/64")).toBeUndefined();
  });
});

describe("node ports", () => {
  it("are allocated until none is left, those below 30086 last", () => {
    const ports = new NodePorts(seededRng("ports"), () => [30_500]);
    const drawn: number[] = [];
    for (let port = ports.allocateNext(); port !== undefined; port = ports.allocateNext()) drawn.push(port);
    expect([drawn.length, new Set(drawn).size]).toEqual([2767, 2767]);
    expect(drawn.includes(30_500)).toBe(false);
    expect(drawn.slice(-86).every((port) => port < 30_086)).toBe(true);
    ports.release(31_000);
    expect(ports.allocateNext()).toBe(31_000);
  });
});

function restarted({ storage }: TestServer): TestServer {
  return startTestServer({ openStorage: () => storage });
}

function refusing(storage: MemoryStorage, store: { readonly refuses: string }): Storage {
  const table = (name: string): Table => {
    const real = storage.table(name);
    return new Proxy(real, {
      get: (target, property) => {
        if (property === "create" && store.refuses === name) {
          return () => {
            throw new StorageWriteFailed("the disk is full");
          };
        }
        const value = Reflect.get(target, property, target) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  return {
    get revision() {
      return storage.revision;
    },
    table,
    compact: (revision) => storage.compact(revision),
    close: () => storage.close(),
  };
}
