import { expect, it } from "vitest";
import { bytesTransport } from "./in-process-transport.ts";
import { startTestServer, testClient } from "./testing.ts";

it("answers every authenticated user with identity and permissions", async () => {
  const { server } = startTestServer();
  const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
  const certificate = { commonName: "carol", organizations: [], fingerprint: "ab12" };
  const carol = testClient(bytesTransport(server, { peer: { certificate } }));
  const access = await carol.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec });
  expect(access.body.status).toEqual({ allowed: false });
  const rules = await carol.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
    spec: { namespace: "a" },
  });
  expect(rules.body.status.resourceRules).toContainEqual(
    expect.objectContaining({ verbs: ["create"], resources: ["selfsubjectreviews"] }),
  );
  const self = await carol.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
  expect(self.body.status.userInfo).toEqual({
    username: "carol",
    groups: ["system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab12"] },
  });
  const nobody = testClient(bytesTransport(server));
  const { status } = await nobody.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec });
  expect(status).toBe(403);
});
