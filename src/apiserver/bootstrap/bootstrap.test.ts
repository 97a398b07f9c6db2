// The bootstrap objects of a cluster, except roles; test/real/bootstrap-objects.test.ts compares them with upstream's.

import { describe, expect, it } from "vitest";
import type { Clock } from "#base/clock.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { Storage } from "../storage/storage.ts";
import { startTestServer, type TestClient, type TestServerOptions } from "../testing.ts";

const FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const CONFIG = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const AUTO_UPDATE = "apf.kubernetes.io/autoupdate-spec";
const gates = { isEnabled: (gate: string) => gate === "APIServerIdentity" };

/** Starts servers one after the other on the same store. */
function starts(): (options?: TestServerOptions) => TestClient {
  let storage: Storage | undefined;
  const openStorage = (clock: Clock): Storage => (storage ??= new MemoryStorage({ clock }));
  return (options) => startTestServer({ ...options, openStorage }).bytes;
}

const certificate = (text: string): string => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
const trusting = (ca: string, ...allowedNames: string[]): TestServerOptions => ({
  authentication: {
    allowsAnonymous: true,
    clientCa: certificate(ca),
    requestHeader: {
      ca: certificate(`${ca}-proxy`),
      allowedNames,
      usernameHeaders: ["X-Remote-User"],
      uidHeaders: [],
      groupHeaders: ["X-Remote-Group"],
      extraHeaderPrefixes: ["X-Remote-Extra-"],
    },
  },
});

describe("bootstrap objects", () => {
  it("machinery/7.5.r5 include endpoints with the server's address, also after it changes, and none without an IP", async () => {
    const start = starts();
    const endpoints = async (client: TestClient): Promise<unknown> => {
      const { body } = await client.get("/api/v1/namespaces/default/endpoints/kubernetes");
      const slice = (await client.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes")).body;
      return [body.subsets, slice.endpoints?.[0].addresses, slice.ports?.[0].port, slice.metadata?.generation];
    };
    expect(await endpoints(start())).toEqual([undefined, undefined, undefined, undefined]);
    const at = (ip: string, port: number): unknown => [
      { addresses: [{ ip }], ports: [{ name: "https", port, protocol: "TCP" }] },
    ];
    const first = start({ serverAddress: "192.0.2.1:6443" });
    expect(await endpoints(first)).toEqual([at("192.0.2.1", 6443), ["192.0.2.1"], 6443, 1]);
    expect(await endpoints(start({ serverAddress: "192.0.2.2:7443" }))).toEqual([
      at("192.0.2.2", 7443),
      ["192.0.2.2"],
      7443,
      2,
    ]);
  });

  it("machinery/7.5.r6 configure the trust of extension API servers, and keep the values of other servers", async () => {
    const start = starts();
    expect((await start().get(CONFIG)).status).toBe(404);
    await start(trusting("one", "a")).get(CONFIG);
    const { data } = (await start(trusting("two", "a", "b")).get(CONFIG)).body;
    expect(data).toEqual({
      "client-ca-file": certificate("one") + certificate("two"),
      "requestheader-allowed-names": '["a","b"]',
      "requestheader-client-ca-file": certificate("one-proxy") + certificate("two-proxy"),
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-username-headers": '["X-Remote-User"]',
    });
  });

  it("machinery/7.5.r7 include a Lease that the server renews until it closes, and that others remove once it expired", async () => {
    const { bytes, clock, server, storage } = startTestServer({ gates, hostname: "vm" });
    const [lease] = (await bytes.get(LEASES)).body.items;
    expect(lease.metadata).toMatchObject({
      name: "apiserver-wlv32tlttr4jl3gtroqexyxapa",
      labels: { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": "vm" },
    });
    expect(lease.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^apiserver-wlv32tlttr4jl3gtroqexyxapa_[0-9a-f-]{36}$/),
      leaseDurationSeconds: 3600,
    });
    await clock.advance(10_000);
    const [renewed] = (await bytes.get(LEASES)).body.items;
    expect(Date.parse(renewed.spec.renewTime) - Date.parse(lease.spec.renewTime)).toBe(10_000);
    server.close();
    const revision = storage.revision;
    await clock.advance(20_000);
    expect(storage.revision).toBe(revision);
    await bytes.patch(`${LEASES}/${lease.metadata.name}`, "merge", {
      spec: { renewTime: "2025-01-01T00:00:00.000000Z" },
    });
    const other = startTestServer({ gates, hostname: "other", openStorage: () => storage });
    const names = (await other.bytes.get(LEASES)).body.items.map(
      (each: { metadata: { name: string } }) => each.metadata.name,
    );
    expect(names).toEqual([expect.not.stringContaining("wlv32tlttr4jl3gtroqexyxapa")]);
  });

  it("machinery/7.5.r7 include flow schemas and priority levels, whose specs are restored unless an administrator opts out", async () => {
    const start = starts();
    const client = start();
    const patch = (path: string, body: object): Promise<unknown> => client.patch(`${FLOW}/${path}`, "merge", body);
    const keep = { metadata: { annotations: { [AUTO_UPDATE]: "false" } } };
    await patch("flowschemas/probes", { spec: { matchingPrecedence: 7 } });
    await patch("flowschemas/system-nodes", { ...keep, spec: { matchingPrecedence: 7 } });
    await patch("flowschemas/catch-all", keep);
    await patch("prioritylevelconfigurations/exempt", { spec: { exempt: { lendablePercent: 50 } } });
    await patch("prioritylevelconfigurations/system", { spec: { limited: { nominalConcurrencyShares: 1 } } });
    const { spec } = (await client.get(`${FLOW}/flowschemas/probes`)).body;
    const unwanted = { name: "old", annotations: { [AUTO_UPDATE]: "true" } };
    for (const metadata of [unwanted, { name: "mine" }]) await client.post(`${FLOW}/flowschemas`, { metadata, spec });
    const again = start();
    const get = async (path: string) => (await again.get(`${FLOW}/${path}`)).body;
    expect((await get("flowschemas/probes")).spec.matchingPrecedence).toBe(2);
    expect((await get("flowschemas/system-nodes")).spec.matchingPrecedence).toBe(7);
    expect((await get("flowschemas/catch-all")).metadata.annotations).toEqual({ [AUTO_UPDATE]: "true" });
    expect((await get("prioritylevelconfigurations/exempt")).spec.exempt.lendablePercent).toBe(50);
    expect((await get("prioritylevelconfigurations/system")).spec.limited.nominalConcurrencyShares).toBe(30);
    expect((await get("flowschemas/old")).reason).toBe("NotFound");
    expect((await get("flowschemas")).items).toHaveLength(12);
    expect((await get("prioritylevelconfigurations")).items).toHaveLength(8);
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { rows } = (await again.get(`${FLOW}/flowschemas`, { accept })).body as { rows: { cells: [string] }[] };
    expect(rows.map(({ cells }) => cells[0]).slice(0, 4)).toEqual(["exempt", "probes", "mine", "system-nodes"]);
  });
});
