import { expect, it } from "vitest";
import { startTestServer } from "../testing.ts";

it("has an OpenAPI v2 document for clients that cannot do without one", async () => {
  const { bytes } = startTestServer();
  const document = { swagger: "2.0", info: { title: "Kubernetes", version: "1.36" }, paths: {} };
  expect((await bytes.get("/openapi/v2")).body).toEqual(document);
  const types = ["v2@v1.0+protobuf", "v2.v1.0+protobuf"].map(
    (end) => `application/com.github.proto-openapi.spec.${end}`,
  );
  for (const accept of types) {
    const { headers, body } = await bytes.send("GET", "/openapi/v2", undefined, { accept });
    expect(headers["content-type"]).toBe(types[1]);
    const sent = body.kind === "bytes" ? new TextDecoder().decode(body.bytes) : body.kind;
    expect(sent).toBe("\n\x032.0\x12\x12\n\nKubernetes\x12\x041.36B\0");
  }
  expect((await bytes.get("/openapi/v2", { accept: "text/plain" })).status).toBe(406);
  expect((await bytes.get("/openapi/v2/")).status).toBe(404);
});
