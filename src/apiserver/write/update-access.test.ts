import { expect, it } from "vitest";
import type { Authorizer } from "../authorization.ts";
import { bytesTransport } from "../in-process-transport.ts";
import { startTestServer, testClient } from "../testing.ts";

const CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";

/** Allows everything except binding claims. */
const authorizer: Authorizer = {
  authorize: ({ info }) =>
    info.isResourceRequest && info.subresource === "binding"
      ? { isAllowed: false, reason: "not a scheduler" }
      : { isAllowed: true },
};

it("machinery/7.4.r1 refuses a write that needs a further permission, in the words of the authorizer", async () => {
  const { server } = startTestServer({ authorizer, gates: { isEnabled: () => true } });
  const carol = testClient(bytesTransport(server, { peer: { user: { name: "carol" } } }));
  await carol.post("/api/v1/namespaces", { metadata: { name: "default" } });
  const requests = [{ name: "r", exactly: { deviceClassName: "c.example.com" } }];
  const { status: created } = await carol.post(CLAIMS, { metadata: { name: "a" }, spec: { devices: { requests } } });
  expect(created).toBe(201);
  const results = [{ request: "r", driver: "d.example.com", pool: "p", device: "d" }];
  const answer = await carol.patch(`${CLAIMS}/a/status`, "merge", { status: { allocation: { devices: { results } } } });
  expect(answer.status).toBe(422);
  expect(answer.body.details.causes).toEqual([
    {
      reason: "FieldValueForbidden",
      field: "status.allocation",
      message:
        'Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: ' +
        'resourceclaims.resource.k8s.io is forbidden: User "carol" cannot patch resource "resourceclaims/binding" in API group ' +
        '"resource.k8s.io" at the cluster scope: not a scheduler',
    },
  ]);
});
