import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import { execConfig, temporaryFiles, V1 } from "./kubeconfig.testing.ts";
import { inClusterConfig, loadClientConfig, NotInCluster } from "./kubeconfig.ts";
import { createExecPlugin, readCredential } from "./kubeconfig-exec.ts";
import { proxyFromEnvironment } from "./kubeconfig-proxy.ts";

const { dir, file } = temporaryFiles();
const signal = new AbortController().signal;

describe("files", () => {
  it("reads YAML, with paths relative to the file", async () => {
    file("ca.crt", "CA");
    const path = file(
      "config",
      "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://h', certificate-authority: ca.crt}}]\n" +
        "users: [{name: u, user: {token: t}}]\ncontexts: [{name: x, context: {cluster: c, user: u, namespace: n}}]\ncurrent-context: x\n",
    );
    expect(await loadClientConfig({ path })).toEqual({
      server: "https://h",
      certificateAuthority: join(dir, "ca.crt"),
      token: "t",
      namespace: "n",
    });
  });

  it("merges the files of KUBECONFIG and leaves out those that are missing", async () => {
    const one = file("one", "current-context: x\nclusters: [{name: c, cluster: {server: 'https://one'}}]\n");
    const two = file(
      "two",
      "clusters: [{name: c, cluster: {server: 'https://two'}}]\ncontexts: [{name: x, context: {cluster: c}}]\n",
    );
    const env = { KUBECONFIG: [join(dir, "none"), one, two].join(":") };
    expect((await loadClientConfig({ usesDefaultFiles: true, env })).server).toBe("https://one");
  });

  it("reports invalid and missing files", async () => {
    await expect(loadClientConfig({ path: file("bad", "clusters: [") })).rejects.toThrow(
      /error loading config file ".*bad"/,
    );
    await expect(loadClientConfig({ path: join(dir, "none") })).rejects.toThrow("no such file or directory");
  });

  it.each([
    "users:\n- user:\n    token: SECRET: x\n",
    'users:\n- user:\n    token: "SECRET\n',
    "users:\n- user:\n\ttoken: SECRET\n",
    "token: {SECRET",
    "token: *SECRET",
    "SECRET",
    "users: SECRET",
    "token: [SECRET\n  SECRET",
    "&SECRET *SECRET",
  ])("complains about %j without quoting it", async (content) => {
    const problem = loadClientConfig({ path: file("bad", content) }).catch((error: Error) => error.message);
    expect(await problem).toMatch(/error loading config file|invalid configuration/);
    expect(await problem).not.toContain("SECRET");
  });

  it("reports as upstream does when neither a file nor the in-cluster configuration exists", async () => {
    const warnings: string[] = [];
    await expect(loadClientConfig({ env: {}, warn: (text) => void warnings.push(text) })).rejects.toThrow(
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable",
    );
    expect(warnings).toEqual([
      "Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work.",
      `error creating inClusterConfig, falling back to default config: ${new NotInCluster().message}`,
    ]);
  });
});

describe("in cluster", () => {
  it("uses the pod's service account", () => {
    expect(() => inClusterConfig({})).toThrow(NotInCluster);
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    expect(() => inClusterConfig(env, dir)).toThrow(`open ${join(dir, "token")}: no such file or directory`);
    file("token", "t");
    file("namespace", "kube-system\n");
    expect(inClusterConfig(env, dir)).toEqual({
      server: "https://[fd00::1]:443",
      tokenFile: join(dir, "token"),
      certificateAuthority: join(dir, "ca.crt"),
      namespace: "kube-system",
    });
  });
});

describe("proxies", () => {
  it.each([
    ["https://api.example", { HTTPS_PROXY: "http://p:3128" }, "http://p:3128"],
    ["https://api.example", { https_proxy: "p:3128" }, "http://p:3128"],
    ["https://api.example", { HTTP_PROXY: "http://p" }, undefined],
    ["https://127.0.0.1:6443", { HTTPS_PROXY: "http://p" }, undefined],
    ["https://[::1]:6443", { HTTPS_PROXY: "http://p" }, undefined],
    ["https://a.b.example", { HTTPS_PROXY: "http://p", NO_PROXY: "x,.example" }, undefined],
    ["https://a.b.example", { HTTPS_PROXY: "http://p", NO_PROXY: "b.example" }, undefined],
    ["https://xb.example", { HTTPS_PROXY: "http://p", NO_PROXY: "b.example" }, "http://p"],
    ["https://10.1.2.3", { HTTPS_PROXY: "http://p", NO_PROXY: "10.0.0.0/8" }, undefined],
    ["https://11.1.2.3:6443", { HTTPS_PROXY: "http://p", NO_PROXY: "10.0.0.0/8,11.1.2.3:443" }, "http://p"],
    ["https://h", { HTTPS_PROXY: "http://p", NO_PROXY: "*" }, undefined],
  ])("%s with %j", (url, env, expected) => {
    expect(proxyFromEnvironment(url, env)).toBe(expected);
  });
});

describe("credential plugins", () => {
  const config: ClientConfig = { server: "https://h", namespace: "default", execConfig: { a: 1 } };

  it("runs the program with its arguments and environment, and passes it the cluster", async () => {
    const script = file(
      "plugin",
      `#!/bin/sh\nprintf '{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"%s-%s-%s"}}' "$1" "$EXTRA" "$(printf %s "$KUBERNETES_EXEC_INFO" | tr -d '"\\\\')"\n`,
      0o755,
    );
    const exec = execConfig(script, {
      args: ["arg"],
      env: [{ name: "EXTRA", value: "env" }],
      provideClusterInfo: true,
    });
    const plugin = createExecPlugin({ exec, config, clock: testClock() });
    const { token } = await plugin.credentials(signal);
    expect(token).toBe(
      `arg-env-{kind:ExecCredential,apiVersion:${V1},spec:{interactive:false,cluster:{server:https://h,config:{a:1}}}}`,
    );
  });

  it("keeps credentials until they expire, and fetches new ones when the server refused them", async () => {
    const clock = testClock();
    const count = file("count", "");
    const expiry = new Date(clock.now() + 60_000).toISOString();
    const script = file(
      "counting",
      `#!/bin/sh\nprintf x >> ${count}\nprintf '{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"%s","expirationTimestamp":"${expiry}"}}' "$(cat ${count})"\n`,
      0o755,
    );
    const plugin = createExecPlugin({ exec: execConfig(script), config, clock });
    const first = await plugin.credentials(signal);
    expect(await plugin.credentials(signal)).toBe(first);
    clock.stall(60_001);
    const second = await plugin.credentials(signal);
    expect(second.token).toBe("xx");
    await plugin.refuse(first, signal);
    await plugin.refuse(second, signal);
    clock.stepWall(-60_001);
    expect((await plugin.credentials(signal)).token).toBe("xxx");
  });

  it("reports failures", async () => {
    const failing = createExecPlugin({
      exec: execConfig(file("failing", "#!/bin/sh\nexit 3\n", 0o755)),
      config,
      clock: testClock(),
    });
    const endless = createExecPlugin({
      exec: execConfig(file("endless", "#!/bin/sh\nexec yes\n", 0o755)),
      config,
      clock: testClock(),
    });
    await expect(endless.credentials(signal)).rejects.toThrow(
      /exec: executable .*endless printed more than 1048576 bytes/,
    );
    await expect(failing.credentials(signal)).rejects.toThrow(/exec: executable .*failing failed with exit code 3/);
    const killed = createExecPlugin({
      exec: execConfig(file("killed", "#!/bin/sh\nkill -9 $$\n", 0o755)),
      config,
      clock: testClock(),
    });
    await expect(killed.credentials(signal)).rejects.toThrow("failed with exit code -1");
    const missing = createExecPlugin({
      exec: execConfig("no-such-plugin", { installHint: "get it" }),
      config,
      clock: testClock(),
    });
    await expect(missing.credentials(signal)).rejects.toThrow("exec: executable no-such-plugin not found\n\nget it");
    expect(() => createExecPlugin({ exec: execConfig("x", { apiVersion: "v9" }), config, clock: testClock() })).toThrow(
      'exec plugin: invalid apiVersion "v9"',
    );
    const asking = createExecPlugin({
      exec: execConfig("x", { interactiveMode: "Always" }),
      config,
      clock: testClock(),
      isTerminal: false,
    });
    await expect(asking.credentials(signal)).rejects.toThrow("standard input is not a terminal");
  });

  it.each([
    ["nonsense", "decoding stdout"],
    ["[]", "decoding stdout"],
    ['{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}', "plugin returned version"],
    [`{"kind":"ExecCredential","apiVersion":"${V1}"}`, "didn't return a status field"],
    [`{"kind":"ExecCredential","apiVersion":"${V1}","status":{}}`, "didn't return a token or cert/key pair"],
    [
      `{"kind":"ExecCredential","apiVersion":"${V1}","status":{"clientKeyData":"k"}}`,
      "only certificate or key, not both",
    ],
    [`{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":7}}`, "status.token is not a string"],
    [
      `{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"t","expirationTimestamp":"soon"}}`,
      'parsing time "soon"',
    ],
    [
      `{"kind":"ExecCredential","apiVersion":"${V1}","status":{"clientKeyData":"k","clientCertificateData":"c"}}`,
      "failed parsing client key/certificate",
    ],
  ])("refuses the output %s", (output, message) => {
    expect(() => readCredential(output, V1)).toThrow(message);
  });

  it("does not quote output that is not JSON, which may be a token", () => {
    expect(() => readCredential("s3cret", V1)).toThrow(/^((?!s3cret).)*$/);
  });
});
