import { afterAll, beforeAll, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { controls, replicaSets } from "#test/scenarios/replicas/subject.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type OurManager, startOurManager } from "./our-manager.ts";
import { realScene } from "./real-scene.ts";
import { describeReal, eventually } from "./suite.ts";

const { create } = controls(replicaSets);

describeReal(
  "replicaset on a real kube-apiserver, under their own service accounts, beside Go's other controllers",
  () => {
    let plane: ControlPlane;
    let ours: OurManager;
    beforeAll(async () => {
      const apiServerFlags = ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"];
      plane = await startControlPlane({ apiServerFlags });
      await plane.startGoManager({ controllers: ["*", "-replicaset-controller", "-replicationcontroller-controller"] });
      ours = await startOurManager(plane, {
        controllers: ["replicaset-controller", "replicationcontroller-controller"],
      });
    }, 120_000);
    afterAll(async () => {
      await ours.stop();
      await plane.stop();
    });

    it("replicaset/traps setting blockOwnerDeletion needs a right that the controller has, and others need", async () => {
      const stage = await realScene(plane);
      const set = await create(stage, 1);
      const [pod] = await stage.of(Pods).list();
      expect(pod?.metadata?.ownerReferences?.[0]?.blockOwnerDeletion).toBe(true);
      const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: set.metadata?.uid };
      const user = "may-create-pods-and-no-more";
      await plane.request("POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${stage.namespace}/roles`, {
        metadata: { name: user },
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["create"] }],
      });
      await plane.request("POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${stage.namespace}/rolebindings`, {
        metadata: { name: user },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: user },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
      });
      const ownedPod = (blockOwnerDeletion: boolean): string =>
        JSON.stringify({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { generateName: "by-user-", ownerReferences: [{ ...reference, blockOwnerDeletion }] },
          spec: { containers: [{ name: "main", image: "example/web:1" }] },
        });
      const createOwned = (blockOwnerDeletion: boolean) =>
        plane.kubectl(
          ["create", `--namespace=${stage.namespace}`, `--as=${user}`, "-f", "-"],
          ownedPod(blockOwnerDeletion),
        );
      await eventually(async () => ((await createOwned(false)).code === 0 ? true : undefined));
      expect((await createOwned(true)).stderr).toContain("cannot set blockOwnerDeletion");
    }, 120_000);

    it("deleting a namespace deletes its sets and pods, without an error loop", async () => {
      const stage = await realScene(plane);
      await create(stage, 5);
      await plane.request("DELETE", `/api/v1/namespaces/${stage.namespace}`);
      await eventually(async () =>
        (await plane.request("GET", `/api/v1/namespaces/${stage.namespace}`)).status === 404 ? true : undefined,
      );
      const refused = stage.writes().filter(({ code, verb }) => verb === "create" && code === 403);
      expect(refused.length).toBeLessThan(20);
    }, 120_000);

    it("was never refused by RBAC", async () => {
      const refused = plane.audit
        .since()
        .filter(({ user, responseStatus }) => user.username.includes("replica") && responseStatus?.code === 403);
      expect(refused.filter(({ responseStatus }) => /cannot/.test(responseStatus?.message ?? ""))).toEqual([]);
    });
  },
);
