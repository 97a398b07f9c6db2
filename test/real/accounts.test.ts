import { afterAll, beforeAll, expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { account, tokenSecret, untilFilled } from "#test/scenarios/account-objects.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { callHttps } from "./https.ts";
import { type OurManager, startOurManager } from "./our-manager.ts";
import { realScene } from "./real-scene.ts";
import { describeReal, eventually } from "./suite.ts";

describeReal("the controllers around service accounts on a real kube-apiserver", () => {
  let plane: ControlPlane;
  let ours: OurManager;
  beforeAll(async () => {
    plane = await startControlPlane();
    const controllers = [
      "serviceaccount-token-controller",
      "serviceaccount-controller",
      "root-ca-certificate-publisher-controller",
    ];
    ours = await startOurManager(plane, { controllers });
  }, 120_000);
  afterAll(async () => {
    await ours.stop();
    await plane.stop();
  }, 60_000);

  it("serviceaccount-token/tests, serviceaccount-token/7 makes tokens that the API server accepts until their secret is deleted", async () => {
    const stage = await realScene(plane);
    const other = (await realScene(plane)).namespace;
    await stage.of(ServiceAccounts).create(account("ro"));
    await stage.of(Secrets).create(tokenSecret("ro-test-token", "ro"));
    const { data } = await untilFilled(stage, "ro-test-token");
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${stage.namespace}`;
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }];
    await plane.request("POST", `${rbac}/roles`, { metadata: { name: "ro" }, rules });
    await plane.request("POST", `${rbac}/rolebindings`, {
      metadata: { name: "ro" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ro" },
      subjects: [{ kind: "ServiceAccount", name: "ro", namespace: stage.namespace }],
    });
    const headers = { authorization: `Bearer ${atob(data?.token ?? "")}` };
    const ask = async (namespace: string, body?: object): Promise<number> => {
      const url = `${plane.server}/api/v1/namespaces/${namespace}/configmaps`;
      const method = body === undefined ? "GET" : "POST";
      const call = { url, method, headers, caPem: plane.pki.ca.certificatePem, ...(body && { body }) };
      return (await callHttps(call)).status;
    };
    const until = (status: number): Promise<true> =>
      eventually(async () => ((await ask(stage.namespace)) === status ? true : undefined));
    await until(200);
    expect(await ask(other)).toBe(403);
    expect(await ask(stage.namespace, { metadata: { name: "x" } })).toBe(403);
    await stage.of(Secrets).delete("ro-test-token");
    await until(401);
  }, 60_000);
});
