import { expect, it } from "vitest";
import { startTestServer } from "../testing.ts";
import { openApiV2Protobuf } from "./openapi-v2-protobuf.ts";

const PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

interface Swagger {
  readonly definitions: Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>>;
  readonly paths: Readonly<Record<string, { readonly get: { readonly operationId: string } }>>;
}

it("machinery/7.1.r21 describes built-in kinds in OpenAPI v2", async () => {
  const { bytes } = startTestServer();
  const { definitions, paths } = (await bytes.get("/openapi/v2")).body as Swagger;
  expect(definitions["io.k8s.api.apps.v1.Deployment"]?.properties?.spec).toEqual({
    $ref: "#/definitions/io.k8s.api.apps.v1.DeploymentSpec",
  });
  expect(paths["/api/v1/namespaces/{namespace}/pods"]?.get.operationId).toBe("listCoreV1NamespacedPod");
});

it("serves OpenAPI v2 as protobuf for both media types, and 304 to clients that have it", async () => {
  const { bytes } = startTestServer();
  for (const accept of [PROTOBUF, PROTOBUF.replace("v2.v1", "v2@v1")]) {
    const { headers, body } = await bytes.send("GET", "/openapi/v2", undefined, { accept });
    expect(headers["content-type"]).toBe(PROTOBUF);
    expect(body.kind === "bytes" && latin1(body.bytes.slice(0, 5))).toBe("\n\x032.0");
    const again = await bytes.send("GET", "/openapi/v2", undefined, { accept, "if-none-match": String(headers.etag) });
    expect(again.status).toBe(304);
  }
  expect((await bytes.get("/openapi/v2", { accept: "text/plain" })).status).toBe(406);
  expect((await bytes.get("/openapi/v2/")).status).toBe(404);
});

it("writes a schema as its protobuf message", () => {
  const schema = { type: "object", required: ["a", "b"], properties: { a: { $ref: "#/x" } }, "x-y": true };
  const fields = [
    "\x9a\x01\x01a\x9a\x01\x01b",
    "\xb2\x01\x08\n\x06object",
    "\xca\x01\x0c\n\n\n\x01a\x12\x05\n\x03#/x",
    "\xfa\x01\x0e\n\x03x-y\x12\x07\x12\x05true\n",
  ].join("");
  const named = `\n\x01S\x12${String.fromCharCode(fields.length)}${fields}`;
  expect(latin1(openApiV2Protobuf({ definitions: { S: schema } }))).toBe(`J:\n8${named}`);
});

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
