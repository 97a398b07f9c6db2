// The promises of the fixture, tested on its shared instance. Private instances are stopped again.

import { existsSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { type ControlPlane, sharedControlPlane, startControlPlane } from "./control-plane.ts";
import { callHttps } from "./https.ts";
import { describeReal, eventually } from "./suite.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

function asServiceAccount(control: ControlPlane, token: string, path: string) {
  const headers = { authorization: `Bearer ${token}` };
  return callHttps({ url: control.server + path, headers, caPem: control.pki.ca.certificatePem });
}

describeReal("the real control plane", () => {
  let control: ControlPlane;
  beforeAll(async () => {
    control = await sharedControlPlane();
  });

  it("is ready and is v1.36.4", async () => {
    expect((await control.request("GET", "/readyz")).text).toBe("ok");
    expect(JSON.parse((await control.request("GET", "/version")).text)).toMatchObject({
      gitVersion: "v1.36.4",
      minor: "36",
    });
  });

  it("refuses requests that RBAC does not allow a service account", async () => {
    const token = await control.tokenFor("default", "nobody");
    const answer = await asServiceAccount(control, token, "/api/v1/secrets");
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('User \\"system:serviceaccount:default:nobody\\" cannot list resource');
  });

  it("takes the user and groups from the client certificate", async () => {
    const client = control.pki.clientCertificate("jane", ["system:masters"]);
    const url = `${control.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
    const answer = await callHttps({ url, method: "POST", body: {}, caPem: control.pki.ca.certificatePem, client });
    expect(JSON.parse(answer.text).status.userInfo).toMatchObject({
      username: "jane",
      groups: ["system:masters", "system:authenticated"],
    });
  });

  it("writes requests and answers with their bodies to the audit log", async () => {
    const mark = control.audit.mark();
    await control.request("POST", configMaps, { metadata: { name: "audited" }, data: { a: "1" } });
    const event = await eventually(() =>
      control.audit.since(mark).find(({ objectRef }) => objectRef?.name === "audited"),
    );
    expect(event).toMatchObject({
      verb: "create",
      user: { username: "test-admin" },
      responseStatus: { code: 201 },
      requestObject: { data: { a: "1" } },
      responseObject: { kind: "ConfigMap", data: { a: "1" } },
    });
  });

  it("runs kubectl", async () => {
    const applied = await control.kubectl(
      ["apply", "-f", "-"],
      '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"k"}}',
    );
    expect(applied).toMatchObject({ code: 0, stdout: "namespace/k created\n" });
    expect((await control.kubectl(["get", "namespace", "nowhere"])).stderr).toContain("NotFound");
  });

  it("keeps its data across a restart, and loses history by a compaction", async () => {
    const list = JSON.parse((await control.request("GET", configMaps)).text);
    await control.request("POST", configMaps, { metadata: { name: "kept" } });
    await control.compactEtcd();
    await control.restartApiServer();
    expect((await control.request("GET", `${configMaps}/kept`)).status).toBe(200);
    const watch = await control.request(
      "GET",
      `${configMaps}?watch=1&resourceVersion=${list.metadata.resourceVersion}`,
    );
    expect(watch.text).toContain('"code":410');
  });
});

describeReal("the Go programs on the real control plane", () => {
  it("run all controllers but one, and a scheduler", async () => {
    const control = await startControlPlane({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] });
    try {
      const manager = await control.startGoManager({ controllers: ["*", "-replicaset-controller"] });
      const scheduler = await control.startScheduler();
      const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
      const node = { metadata: { name: "n" }, status: { conditions: [{ type: "Ready", status: "True" }] } };
      expect((await control.request("POST", "/api/v1/nodes", node)).status).toBe(201);
      const spec = { selector: { matchLabels: { app: "a" } }, template };
      await control.request("POST", "/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "d" }, spec });
      const replicaSets = await eventually(async () => {
        const answer = await control.request("GET", "/apis/apps/v1/namespaces/default/replicasets");
        const { items } = JSON.parse(answer.text) as { items: { status: { observedGeneration?: number } }[] };
        return items.length > 0 ? items : undefined;
      });
      expect(replicaSets[0]?.status.observedGeneration).toBeUndefined();
      await control.request("POST", "/api/v1/namespaces/default/pods", {
        metadata: { name: "p" },
        spec: template.spec,
      });
      const events = await eventually(async () => {
        const answer = await control.request("GET", "/api/v1/namespaces/default/events");
        return answer.text.includes("default-scheduler") ? answer.text : undefined;
      });
      expect(events).toMatch(/FailedScheduling|Scheduled/);
      expect(manager.isRunning && scheduler.isRunning).toBe(true);
      // No signal handler by default, as machinery/1.3.2 says.
      expect(await manager.stop()).toBe("signal SIGTERM");
    } finally {
      await control.stop();
    }
    expect(existsSync(control.directory)).toBe(false);
    expect(control.apiServer.isRunning || control.etcd.isRunning).toBe(false);
  });
});
