// The graph page of Go's garbage collector and of ours for the same objects: equal to the letter.

import { join } from "node:path";
import { expect, it } from "vitest";
import type { OwnerReference } from "#api/meta.ts";
import type { RunningManager } from "./control-plane.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 180_000;
const GRAPH = "/debug/controllers/garbage-collector-controller/graph";
const MAPS = "/api/v1/namespaces/default/configmaps";
const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const ourProgram = join(import.meta.dirname, "..", "..", "src", "cmd", "kube-controller-manager.ts");

describeReal("the page of the garbage collector's graph", () => {
  const plane = useControlPlane();

  const create = async (
    path: string,
    name: string,
    owners: readonly OwnerReference[] = [],
    finalizers: readonly string[] = [],
  ): Promise<OwnerReference> => {
    const { text } = await plane().request("POST", path, { metadata: { name, ownerReferences: owners, finalizers } });
    const { metadata } = JSON.parse(text) as { metadata: { uid: string } };
    const isRole = path === ROLES;
    const apiVersion = isRole ? "rbac.authorization.k8s.io/v1" : "v1";
    return { apiVersion, kind: isRole ? "ClusterRole" : "ConfigMap", name, uid: metadata.uid };
  };

  it(
    "garbage-collector/27, machinery/2.2.r12 is the Go program's, with and without a choice of objects",
    async () => {
      const owner = await create(MAPS, "owner");
      const child = await create(MAPS, "child", [owner]);
      await create(MAPS, "grandchild", [{ ...child, blockOwnerDeletion: true }]);
      const role = await create(ROLES, "owner");
      await create(MAPS, "of-role", [role, owner]);
      await create(MAPS, "leaving", [role], ["example.com/hold"]);
      await create(MAPS, "waiting", [], ["example.com/hold"]);
      await create(MAPS, "strange", [{ apiVersion: "example.com/v1", kind: "Nowhere", name: "x", uid: "nobody" }]);
      const foreground = { propagationPolicy: "Foreground" };
      await plane().request("DELETE", `${MAPS}/leaving`);
      await plane().request("DELETE", `${MAPS}/waiting`, foreground);
      const options = { controllers: ["garbage-collector-controller"], flags: ["--service-account-private-key-file="] };
      const managers = await Promise.all([
        plane().startGoManager(options),
        plane().startManager([process.execPath, ourProgram], options),
      ]);
      const { uid } = child;
      for (const query of ["", `?uid=${uid}`, `?uid=${role.uid}&uid=${uid}`, "?uid=none"]) {
        const pages = (): Promise<readonly string[]> =>
          Promise.all(managers.map((manager) => manager.page(`${GRAPH}${query}`)));
        const isReady = (page: string): boolean => query === "?uid=none" || page.includes('name="of-role"');
        let [go = "", ours = ""] = await pages();
        const isSame = async (): Promise<true | undefined> => {
          [go = "", ours = ""] = await pages();
          return (isReady(go) && go === ours) || undefined;
        };
        await eventually(isSame).catch(() => undefined);
        expect(ours).toBe(go);
      }
      for (const path of [GRAPH, `${GRAPH}/more`, GRAPH.replace("/graph", ""), GRAPH.replace("/graph", "/")]) {
        const [go, ours] = await Promise.all(managers.map((manager) => head(manager, path)));
        expect([path, ours]).toEqual([path, go]);
      }
    },
    LIMIT_MS,
  );
});

async function head(manager: RunningManager, path: string): Promise<readonly unknown[]> {
  const { status, headers, text } = await manager.ask(path);
  return [status, headers["content-type"], headers["x-content-type-options"], status === 200 ? "" : text];
}
