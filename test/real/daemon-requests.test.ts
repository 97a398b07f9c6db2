// The daemon's requests to the API server from its start to its first work, compared with the Go program with the same
// flags on a new control plane: the audit logs of both must be equal.

import { expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { callHttps } from "./https.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 240_000;
const USER = "system:kube-controller-manager";

describeReal("the requests of the daemon at its start", () => {
  it(
    "machinery/1.2.5, machinery/1.2.7, machinery/1.2.8 is what the Go program asks for",
    async () => {
      const [go, ours] = [await requestsOf(goDaemon()), await requestsOf(ourDaemon)];
      expect(go.length).toBeGreaterThan(20);
      expect(go.filter((request) => request.includes(" /tokens-controller "))).not.toEqual([]);
      expect(ours).toEqual(go);
    },
    LIMIT_MS,
  );
});

/** Users and requests, each kind once. */
async function requestsOf(command: Command): Promise<readonly string[]> {
  const health = { level: "Metadata", nonResourceURLs: ["/healthz"], users: [USER] };
  const plane = await startControlPlane({ auditRules: [health] });
  try {
    const kubeconfig = plane.kubeconfigFor({ user: USER });
    const flags = [
      "--leader-elect=true",
      "--leader-elect-retry-period=500ms",
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
    ];
    const program = await plane.startManager(command, { controllers: sharedControllers, flags });
    await makeWork(plane);
    const token = await plane.tokenFor("default", "reader");
    const headers = { authorization: `Bearer ${token}` };
    await callHttps({ url: `${program.url}/metrics`, caPem: plane.pki.ca.certificatePem, headers });
    await program.stop("SIGKILL");
    const seen = plane.audit
      .since()
      .filter(({ userAgent }) => userAgent?.startsWith("kube-controller-manager/"))
      .map(({ user, userAgent = "", verb, requestURI }) => {
        const agent = userAgent.replace(/^.*kubernetes\/[^/]*/, "");
        const [path = "", query = ""] = requestURI.split("?");
        const parameters = [...new URLSearchParams(query).keys()].sort().join("&");
        return `${user.username} ${agent} ${verb} ${path} ${parameters}`;
      });
    return [...new Set(seen)].sort();
  } finally {
    await plane.stop();
  }
}

/** Creates a namespace and waits until each controller has done its part. */
async function makeWork(plane: ControlPlane): Promise<void> {
  const exists = (path: string): Promise<true> =>
    eventually(async () => ((await plane.request("GET", path)).status === 200 ? true : undefined));
  await plane.request("POST", "/api/v1/namespaces", { metadata: { name: "work" } });
  for (const namespace of ["default", "kube-node-lease", "kube-public", "kube-system", "work"]) {
    await exists(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    await exists(`/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`);
  }
  const secrets = "/api/v1/namespaces/work/secrets";
  await plane.request("POST", secrets, {
    type: "kubernetes.io/service-account-token",
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "default" } },
  });
  await eventually(async () => {
    const { text } = await plane.request("GET", `${secrets}/token`);
    return (JSON.parse(text) as { data?: { token?: string } }).data?.token;
  });
}
