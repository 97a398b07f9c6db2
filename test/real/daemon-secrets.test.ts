// Secrets must never reach the log, at the highest verbosity and in both formats: secrets in headers, in bodies, in the
// kubeconfig, in the output of a credential plugin, and in errors about any of them.

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { RunningManager } from "./control-plane.ts";
import { ourDaemon, runToEnd, sharedControllers } from "./daemon.ts";
import { credential, file, plugin, removeFiles, SECRET, withUser, wrongCases } from "./daemon-secrets-cases.ts";
import { callHttps } from "./https.ts";
import { useIdleDaemons } from "./idle-daemon.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const secretBase64 = Buffer.from(SECRET).toString("base64").slice(0, -2);

function expectNoSecret(log: string, ...others: readonly string[]): void {
  for (const secret of [SECRET, secretBase64, ...others]) {
    const at = log.indexOf(secret);
    expect(at < 0 ? "" : log.slice(Math.max(0, at - 200), at + 60)).toBe("");
  }
  // No token of any kind, including those of service accounts.
  expect(/.{0,80}eyJhbGciOi/.exec(log)?.[0] ?? "").toBe("");
}

afterAll(removeFiles);

const formats = ["text", "json"] as const;

describeReal("secrets on a real API server", () => {
  const plane = useControlPlane();

  /** The administrator's kubeconfig with another user. */
  const kubeconfigOf = (user: object): string => {
    const config = JSON.parse(readFileSync(plane().adminKubeconfig, "utf8")) as { users: object[] };
    return file(JSON.stringify({ ...config, users: [{ name: "test", user }] }));
  };

  /** Sends secrets in every part of a request. */
  async function callWithSecrets(program: RunningManager): Promise<void> {
    const websocket = { "sec-websocket-protocol": `base64url.bearer.authorization.k8s.io.${SECRET}` };
    const proxied = { "x-remote-user": "u", "x-remote-extra-key": `${SECRET}-extra`, "x-remote-uid": `${SECRET}-uid` };
    for (const headers of [
      { authorization: `Bearer ${SECRET}-bearer` },
      { authorization: `Basic ${SECRET}-basic` },
      { cookie: `${SECRET}-cookie`, "x-api-key": `${SECRET}-key` },
      websocket,
    ]) {
      await callHttps({ url: `${program.url}/metrics`, caPem: plane().pki.ca.certificatePem, headers });
    }
    const client = plane().pki.frontProxy;
    await callHttps({ url: `${program.url}/configz`, caPem: plane().pki.ca.certificatePem, headers: proxied, client });
    await program.ask("/debug/flags/v", { method: "PUT", rawBody: SECRET });
  }

  describe.each(formats)("in %s", (format) => {
    it.each([
      { where: "a token that is good", isGood: true, user: async () => ({ token: await goodToken() }) },
      { where: "a token that is bad", isGood: false, user: async () => ({ token: `${SECRET}-token` }) },
      { where: "a token's file", isGood: false, user: async () => ({ tokenFile: file(`${SECRET}-file\n`) }) },
      { where: "a password", isGood: false, user: async () => ({ username: "u", password: `${SECRET}-password` }) },
      { where: "a plugin's token", isGood: false, user: async () => plugin(credential({ token: `${SECRET}-exec` })) },
      {
        where: "a plugin's good token",
        isGood: true,
        user: async () => plugin(credential({ token: await goodToken() })),
      },
    ])(
      "headers, bodies and $where are not logged",
      async ({ isGood, user }) => {
        const kubeconfig = kubeconfigOf(await user());
        const program = await plane().startManager(ourDaemon, {
          controllers: sharedControllers,
          flags: [
            "-v=10",
            `--logging-format=${format}`,
            `--kubeconfig=${kubeconfig}`,
            "--leader-elect=true",
            `--leader-elect-resource-name=secrets-${++made}`,
          ],
        });
        await callWithSecrets(program);
        if (isGood) await makeWork();
        else await eventually(() => (/Unauthorized|error retrieving/i.test(program.log()) ? true : undefined));
        const log = program.log();
        expect(log.length).toBeGreaterThan(5000);
        expectNoSecret(log, await goodToken());
        await program.stop("SIGKILL");
      },
      LIMIT_MS,
    );
  });

  it.each(
    formats.flatMap((format) => ["--service-account-private-key-file", "--root-ca-file"].map((flag) => [flag, format])),
  )(
    "what the file of %s contains is not logged in %s",
    async (flag, format) => {
      const args = [
        `--kubeconfig=${plane().adminKubeconfig}`,
        `--controllers=${sharedControllers.join(",")}`,
        "--leader-elect=false",
        "--secure-port=0",
        "-v=10",
        `--logging-format=${format}`,
        `--service-account-private-key-file=${plane().pki.file("service-account.key")}`,
        `${flag}=${file(`${SECRET} is no PEM`)}`,
      ];
      const { code, stderr } = await runToEnd(ourDaemon, args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/error (?:reading key|parsing root-ca-file)/);
      expectNoSecret(stderr);
    },
    LIMIT_MS,
  );

  let made = 0;
  let token: Promise<string> | undefined;
  const goodToken = (): Promise<string> => {
    token ??= (async () => {
      const made = await plane().tokenFor("kube-system", "secretive");
      await plane().request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        metadata: { name: "secretive" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", namespace: "kube-system", name: "secretive" }],
      });
      return made;
    })();
    return token;
  };

  /** Creates a namespace whose secrets the token controller reads and writes, and waits until it has. */
  async function makeWork(): Promise<void> {
    const name = `work-${++made}`;
    await plane().request("POST", "/api/v1/namespaces", { metadata: { name } });
    const path = `/api/v1/namespaces/${name}`;
    await eventually(async () =>
      (await plane().request("GET", `${path}/serviceaccounts/default`)).status === 200 ? true : undefined,
    );
    await plane().request("POST", `${path}/secrets`, {
      type: "kubernetes.io/service-account-token",
      metadata: { name: "planted", annotations: { "kubernetes.io/service-account.name": "default" } },
      stringData: { more: `${SECRET}-object` },
    });
    await eventually(async () => {
      const { text } = await plane().request("GET", `${path}/secrets/planted`);
      return (JSON.parse(text) as { data?: { token?: string } }).data?.token;
    });
  }
});

describeReal("secrets in error cases", () => {
  const daemons = useIdleDaemons("daemon-secrets");

  it.each(wrongCases)(
    "$where is not logged",
    async ({ flags }) => {
      const common = [
        `--kubeconfig=${withUser({ token: `${SECRET}-token` })}`,
        `--controllers=${sharedControllers.join(",")}`,
        "--secure-port=0",
        "-v=10",
      ];
      const started = formats.map((format) =>
        daemons().launch([...ourDaemon, ...common, `--logging-format=${format}`, ...flags()]),
      );
      for (const program of started) {
        // The program has logged the error or has ended.
        await eventually(() => (/^E\d{4} |"err":/m.test(program.log()) || !program.isRunning ? true : undefined));
        expect(program.log().length).toBeGreaterThan(1000);
        expectNoSecret(program.log());
        await program.stop("SIGKILL");
      }
    },
    LIMIT_MS,
  );
});
