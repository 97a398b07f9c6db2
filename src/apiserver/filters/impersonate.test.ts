import { describe, expect, it } from "vitest";
import { bytesTransport } from "../in-process-transport.ts";
import { startTestServer, testClient } from "../testing.ts";

const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const whoAmI = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };

describe("impersonation", () => {
  it("lets a member of system:masters act as another user, with that user's permissions", async () => {
    const { bytes } = startTestServer();
    const headers = {
      "impersonate-user": "bob",
      "impersonate-group": ["ops", "dev"],
      "impersonate-uid": "u1",
      "impersonate-extra-team%2Fname": "blue",
    };
    const asBob = await bytes.request("GET", "/api/v1/namespaces/default/configmaps", undefined, headers);
    expect(asBob.status).toBe(403);
    expect(asBob.body.message).toContain('User "bob" cannot list resource "configmaps"');
    const answer = await bytes.request("POST", review, whoAmI, { ...headers, "impersonate-group": ["system:masters"] });
    expect(answer.body.status.userInfo).toEqual({
      username: "bob",
      uid: "u1",
      groups: ["system:masters", "system:authenticated"],
      extra: { "team/name": ["blue"] },
    });
  });

  it("adds a service account's groups", async () => {
    const { bytes } = startTestServer();
    const headers = { "impersonate-user": "system:serviceaccount:ns:robot" };
    const answer = await bytes.request("GET", "/api/v1/pods", undefined, headers);
    expect(answer.body.message).toContain('User "system:serviceaccount:ns:robot" cannot list');
  });

  it("refuses other users, and headers without a user name", async () => {
    const { bytes, server } = startTestServer();
    const stranger = testClient(bytesTransport(server, { peer: { user: { name: "eve", groups: [] } } }));
    const refused = await stranger.request("GET", "/version", undefined, { "impersonate-user": "admin" });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain(
      'users "admin" is forbidden: User "eve" cannot impersonate resource "users" in API group ""',
    );
    const headless = await bytes.request("GET", "/version", undefined, { "impersonate-group": "ops" });
    expect([headless.status, headless.body.message]).toEqual([
      400,
      "requested [{Group  ops    }] without impersonating a user",
    ]);
  });

  it("machinery/7.5.r8 constrains it behind a gate: an account may act as the node that its token names", async () => {
    const { bytes, server } = startTestServer({ gates: { isEnabled: (gate) => gate === "ConstrainedImpersonation" } });
    const user = (extra: Record<string, string[]>) => ({
      name: "system:serviceaccount:default:agent",
      groups: [],
      extra,
    });
    const onNode = (node: string) => {
      const peer = { user: user({ "authentication.kubernetes.io/node-name": [node] }) };
      return testClient(bytesTransport(server, { peer }));
    };
    const RBAC = "/apis/rbac.authorization.k8s.io/v1";
    const group = "authentication.k8s.io";
    await bytes.post(`${RBAC}/clusterroles`, {
      metadata: { name: "agent" },
      rules: [
        { verbs: ["impersonate:associated-node"], apiGroups: [group], resources: ["nodes"] },
        { verbs: ["impersonate-on:associated-node:create"], apiGroups: [group], resources: ["selfsubjectreviews"] },
      ],
    });
    await bytes.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: "agent" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "agent" },
      subjects: [{ kind: "ServiceAccount", namespace: "default", name: "agent" }],
    });
    const asNode = { "impersonate-user": "system:node:n1" };
    const allowed = await onNode("n1").request("POST", review, whoAmI, asNode);
    expect(allowed.body.status.userInfo).toEqual({
      username: "system:node:n1",
      groups: ["system:nodes", "system:authenticated"],
    });
    const elsewhere = await onNode("n2").request("POST", review, whoAmI, asNode);
    expect(elsewhere.body.message).toBe(
      'selfsubjectreviews.authentication.k8s.io is forbidden: User "system:serviceaccount:default:agent" cannot impersonate-on:arbitrary-node:create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
    );
    const otherwise = await onNode("n1").request("GET", "/version", undefined, asNode);
    expect(otherwise.body.message).toContain("cannot impersonate-on:associated-node:get path");
  });
});
