// The generated tables and the protobuf codec against a real kube-apiserver: its discovery documents, and the same
// objects in both encodings.

import { request } from "node:https";
import { beforeAll, expect, it } from "vitest";
import { apiVersionOf, type KubeObject } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { type BuiltinResource, builtinGroups, builtinResources } from "#api/resource-table.ts";
import { type ControlPlane, sharedControlPlane } from "./control-plane.ts";
import { describeReal } from "./suite.ts";

interface List {
  readonly items: readonly unknown[];
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";

describeReal("api tables on a real API server", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await sharedControlPlane();
  }, 120_000);

  const getJson = async (path: string): Promise<never> => JSON.parse((await plane.request("GET", path)).text) as never;

  /** Sends and receives one request in protobuf. */
  function exchange(method: string, path: string, body?: Uint8Array): Promise<{ status: number; bytes: Uint8Array }> {
    const { certificatePem: cert, keyPem: key } = plane.admin;
    const headers = { accept: PROTOBUF, ...(body && { "content-type": PROTOBUF }) };
    const options = { method, headers, cert, key, ca: plane.pki.ca.certificatePem, agent: false };
    return new Promise((resolve, reject) => {
      request(`${plane.server}${path}`, options, (answer) => {
        const chunks: Buffer[] = [];
        answer
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("error", reject)
          .on("end", () => resolve({ status: answer.statusCode ?? 0, bytes: new Uint8Array(Buffer.concat(chunks)) }));
      })
        .on("error", reject)
        .end(body);
    });
  }

  /** Repeated if objects change between the two requests. */
  async function inBothEncodings(path: string): Promise<{ json: List; list: List }> {
    for (;;) {
      const before: List = await getJson(path);
      const list = decodeProtobuf((await exchange("GET", path)).bytes) as unknown as List;
      if (JSON.stringify(await getJson(path)) === JSON.stringify(before)) return { json: before, list };
    }
  }

  it("lists the groups, versions and resources that discovery lists", async () => {
    const served = builtinResources().filter(({ servedByDefault }) => servedByDefault);
    const { groups } = (await getJson("/apis")) as { groups: { name: string; versions: { version: string }[] }[] };
    const ours = builtinGroups()
      .map(({ group, versions }) => ({ name: group, versions: versions.filter((version) => /^v\d+$/.test(version)) }))
      .filter(({ name, versions }) => name !== "" && versions.length > 0);
    expect(ours).toEqual(
      groups.map(({ name, versions }) => ({ name, versions: versions.map(({ version }) => version) })),
    );
    for (const groupVersion of new Set(served.map(apiVersionOf))) {
      const path = groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
      const { resources } = (await getJson(path)) as { resources: unknown[] };
      expect(served.filter((row) => apiVersionOf(row) === groupVersion).flatMap(discoveryRows)).toEqual(resources);
    }
  });

  it("decodes protobuf to the objects that the server sends as JSON", async () => {
    // Component statuses are probed for each request, in any order.
    const listable = builtinResources().filter((row) => row.servedByDefault && row.verbs.includes("watch"));
    let objects = 0;
    for (const row of listable) {
      const path = `${row.group === "" ? "/api" : `/apis/${row.group}`}/${row.version}/${row.resource}`;
      const { json, list } = await inBothEncodings(path);
      expect(list.items, path).toEqual(json.items);
      objects += json.items.length;
    }
    expect(objects).toBeGreaterThan(100);
  });

  it("encodes objects that the server can store", async () => {
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default", labels: { app: "web" } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [{ name: "web", image: "web:1", resources: { requests: { cpu: "0.5", memory: "64Mi" } } }],
          },
        },
      },
    } as KubeObject;
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const created = await exchange("POST", path, encodeProtobuf(deployment));
    expect(created.status).toBe(201);
    const stored = (await getJson(`${path}/web`)) as KubeObject;
    expect(decodeProtobuf(created.bytes)).toEqual(stored);
    expect(stored).toMatchObject({
      spec: { template: { spec: { containers: [{ resources: { requests: { cpu: "500m", memory: "64Mi" } } }] } } },
    });
  });
});

/** A row as discovery prints it: the resource, then its subresources. */
function discoveryRows(row: BuiltinResource): object[] {
  const { resource, singular, namespaced, kind, verbs, shortNames, categories, storageVersionHash } = row;
  const own = {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(storageVersionHash && { storageVersionHash }),
  };
  const parts = row.subresources.map((part) => ({
    name: `${resource}/${part.name}`,
    singularName: "",
    namespaced,
    ...(apiVersionOf(part.kind) !== apiVersionOf(row) && { group: part.kind.group, version: part.kind.version }),
    kind: part.kind.kind,
    verbs: part.verbs,
  }));
  return [own, ...parts];
}
