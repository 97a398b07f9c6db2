// Access by roles and bindings, and the initial roles and bindings of a cluster.

import { describe, expect, it } from "vitest";
import type { Clock } from "#base/clock.ts";
import { bytesTransport } from "../in-process-transport.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { Storage } from "../storage/storage.ts";
import { startTestServer, type TestClient, type TestServer, testClient } from "../testing.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const NS = `${RBAC}/namespaces/default`;
const DEFAULT_GATES = { isEnabled: (gate: string) => gate.startsWith("Component") || gate === "DRADeviceTaints" };

const as = ({ server }: TestServer, name: string, ...groups: string[]): TestClient =>
  testClient(bytesTransport(server, { peer: { user: { name, groups: [...groups, "system:authenticated"] } } }));
const account = (stage: TestServer, identity: string): TestClient =>
  as(stage, `system:serviceaccount:kube-system:${identity}`, "system:serviceaccounts");

const reader = {
  metadata: { name: "reader" },
  rules: [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] }],
};
const binding = (name: string, roleKind: string, ...subjects: object[]): object => ({
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name: "reader" },
  subjects,
});
const user = (name: string): object => ({ kind: "User", name });

async function names({ bytes }: TestServer, resource: string): Promise<string[]> {
  const { items } = (await bytes.get(`${RBAC}/${resource}`)).body as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

describe("the authorizer of roles", () => {
  it("machinery/7.5.r2 grants the permissions of a binding to a user, a group or a service account at once", async () => {
    const stage = startTestServer();
    const { bytes } = stage;
    const clients = [as(stage, "bob"), as(stage, "eve", "ops"), as(stage, "system:serviceaccount:default:robot")];
    const statuses = (path: string): Promise<number[]> =>
      Promise.all(clients.map(async (client) => (await client.get(path)).status));
    expect(await statuses("/api/v1/namespaces/default/pods")).toEqual([403, 403, 403]);
    await bytes.post(`${NS}/roles`, reader);
    const subjects = [user("bob"), { kind: "Group", name: "ops" }, { kind: "ServiceAccount", name: "robot" }];
    await bytes.post(`${NS}/rolebindings`, binding("b", "Role", ...subjects));
    expect(await statuses("/api/v1/namespaces/default/pods")).toEqual([200, 200, 200]);
    expect(await statuses("/api/v1/namespaces/kube-system/pods")).toEqual([403, 403, 403]);
    expect(await statuses("/api/v1/pods")).toEqual([403, 403, 403]);
    await bytes.patch(`${NS}/rolebindings/b`, "merge", { subjects: [user("bob")] });
    expect(await statuses("/api/v1/namespaces/default/pods")).toEqual([200, 403, 403]);
    await bytes.patch(`${NS}/roles/reader`, "merge", { rules: [] });
    expect(await statuses("/api/v1/namespaces/default/pods")).toEqual([403, 403, 403]);
    await bytes.post(`${RBAC}/clusterroles`, reader);
    await bytes.post(`${RBAC}/clusterrolebindings`, binding("c", "ClusterRole", { kind: "Group", name: "ops" }));
    expect(await statuses("/api/v1/pods")).toEqual([403, 200, 403]);
    await bytes.delete(`${RBAC}/clusterrolebindings/c`);
    expect(await statuses("/api/v1/pods")).toEqual([403, 403, 403]);
  });

  it("machinery/7.5.r2 reports the binding that allows a request, and a missing role", async () => {
    const stage = startTestServer();
    const review = async (spec: object): Promise<unknown> =>
      (await stage.bytes.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec })).body.status;
    const resourceAttributes = { verb: "get", resource: "pods", namespace: "default" };
    await stage.bytes.post(`${NS}/rolebindings`, binding("b", "Role", { kind: "ServiceAccount", name: "robot" }));
    const robot = { user: "system:serviceaccount:default:robot", resourceAttributes };
    expect(await review(robot)).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "reader" not found',
    });
    const { body } = await as(stage, "system:serviceaccount:default:robot").get("/api/v1/namespaces/default/pods/a");
    expect(body.message).toBe(
      'pods "a" is forbidden: User "system:serviceaccount:default:robot" cannot get resource "pods" in API group "" in the namespace "default": RBAC: role.rbac.authorization.k8s.io "reader" not found',
    );
    await stage.bytes.post(`${NS}/roles`, reader);
    expect(await review(robot)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/default" of Role "reader" to ServiceAccount "robot/default"',
    });
    expect(await review({ user: "root", groups: ["system:masters"], resourceAttributes })).toEqual({ allowed: true });
    expect(
      await review({
        user: "x",
        groups: ["system:monitoring"],
        nonResourceAttributes: { path: "/metrics", verb: "get" },
      }),
    ).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:monitoring" of ClusterRole "system:monitoring" to Group "system:monitoring"',
    });
  });
});

describe("the bootstrap roles", () => {
  it("machinery/7.5.r2 follow the feature gates: 38 roles of controllers by default, 44 with all", async () => {
    const ofControllers = async (stage: TestServer, resource: string): Promise<number> =>
      (await names(stage, resource)).filter((name) => name.startsWith("system:controller:")).length;
    const byDefault = startTestServer({ gates: DEFAULT_GATES });
    const withAll = startTestServer({ gates: { isEnabled: () => true } });
    for (const resource of ["clusterroles", "clusterrolebindings"]) {
      expect(await ofControllers(byDefault, resource)).toBe(38);
      expect(await ofControllers(withAll, resource)).toBe(44);
    }
  });

  it("machinery/7.5.r2 grant a controller only what it needs, and the manager every lease in kube-system", async () => {
    const stage = startTestServer();
    const replicaSets = account(stage, "replicaset-controller");
    expect((await replicaSets.get("/apis/apps/v1/replicasets")).status).toBe(200);
    expect((await replicaSets.get("/api/v1/secrets")).status).toBe(403);
    const manager = as(stage, "system:kube-controller-manager");
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    expect((await manager.post(leases, { metadata: { name: "another-name" }, spec: {} })).status).toBe(201);
    expect((await manager.delete(`${leases}/another-name`)).status).toBe(403);
  });

  it("machinery/7.5.r3 let every user read health and version, authenticated users discover kinds, and monitoring read metrics", async () => {
    const stage = startTestServer({ gates: DEFAULT_GATES });
    const nobody = testClient(bytesTransport(stage.server));
    const bob = as(stage, "bob");
    const monitor = as(stage, "eve", "system:monitoring");
    const statuses = (path: string): Promise<number[]> =>
      Promise.all([nobody, bob, monitor].map(async (client) => (await client.get(path)).status));
    expect(await statuses("/healthz")).toEqual([200, 200, 200]);
    expect(await statuses("/version")).toEqual([200, 200, 200]);
    expect(await statuses("/apis")).toEqual([403, 200, 200]);
    expect(await statuses("/openapi/v2")).toEqual([403, 200, 200]);
    expect(await statuses("/livez/ping")).toEqual([403, 403, 200]);
    for (const path of ["/metrics", "/flagz", "/statusz"]) {
      const [, known, monitoring] = await statuses(path);
      expect([known, monitoring === 403]).toEqual([403, false]);
    }
    const self = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const spec = { nonResourceAttributes: { verb: "get", path: "/version" } };
    expect((await nobody.post(self, { spec })).status).toBe(403);
    expect((await bob.post(self, { spec })).status).toBe(201);
  });

  it("machinery/7.5.r2 are completed when the server restarts, and keep additions", async () => {
    let storage: Storage | undefined;
    const openStorage = (clock: Clock): Storage => (storage ??= new MemoryStorage({ clock }));
    const { bytes } = startTestServer({ openStorage });
    const own = { verbs: ["own"], apiGroups: [""], resources: ["things"] };
    const change = (path: string, body: object): Promise<unknown> => bytes.patch(`${RBAC}/${path}`, "merge", body);
    await change("clusterroles/system:basic-user", { rules: [own], metadata: { labels: { mine: "yes" } } });
    await change("clusterroles/system:discovery", {
      rules: [],
      metadata: { annotations: { "rbac.authorization.kubernetes.io/autoupdate": "false" } },
    });
    await change("clusterroles/view", {
      rules: [own],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    });
    await change("clusterrolebindings/system:monitoring", { subjects: [user("bob")] });
    await bytes.delete(`${RBAC}/clusterrolebindings/system:discovery`);
    await bytes.post(`${RBAC}/clusterrolebindings`, {
      ...binding("system:discovery", "ClusterRole", user("bob")),
      metadata: { name: "system:discovery" },
    });
    const again = startTestServer({ openStorage }).bytes;
    const get = async (path: string): Promise<Record<string, unknown>> => (await again.get(`${RBAC}/${path}`)).body;
    const basic = await get("clusterroles/system:basic-user");
    expect(basic).toMatchObject({
      metadata: { labels: { mine: "yes", "kubernetes.io/bootstrapping": "rbac-defaults" } },
    });
    expect(basic.rules).toEqual([
      own,
      ...["selfsubjectaccessreviews", "selfsubjectrulesreviews"].map((resource) => ({
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: [resource],
      })),
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
    ]);
    expect((await get("clusterroles/system:discovery")).rules).toBeNull();
    expect(await get("clusterroles/view")).toMatchObject({
      rules: [own],
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { a: "b" } },
          { matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
        ],
      },
    });
    expect((await get("clusterrolebindings/system:monitoring")).subjects).toMatchObject([
      user("bob"),
      { kind: "Group", name: "system:monitoring" },
    ]);
    expect(await get("clusterrolebindings/system:discovery")).toMatchObject({
      roleRef: { name: "system:discovery" },
      subjects: [{ kind: "Group", name: "system:authenticated" }],
    });
    const versions = async (client: TestClient): Promise<string> =>
      (await client.get(`${RBAC}/clusterroles`)).body.items
        .map((each: { metadata: object }) => JSON.stringify(each.metadata))
        .join();
    const third = startTestServer({ openStorage }).bytes;
    expect(await versions(third)).toBe(await versions(again));
  });
});
