// Kubeconfig files, in-cluster configuration, credential plugins and the transports made from them,
// over real files, processes and sockets.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { testClock } from "#base/testing.ts";
import type { ClientConfig, ExecConfig } from "#client/kubeconfig.ts";
import {
  clientCertificate,
  newAuthority,
  peerName,
  serverCertificate,
  startTestServer,
  type TestServer,
} from "./http-client.testing.ts";
import { inClusterConfig, loadClientConfig, NotInCluster } from "./kubeconfig.ts";
import { createExecPlugin, readCredential } from "./kubeconfig-exec.ts";
import { proxyFromEnvironment } from "./kubeconfig-proxy.ts";
import { createTransport } from "./kubeconfig-transport.ts";

const dir = mkdtempSync(join(tmpdir(), "kubeconfig-"));
afterAll(() => rmSync(dir, { recursive: true }));
const signal = new AbortController().signal;
const get = { method: "GET", path: "/", query: "", headers: {} };

function file(name: string, content: string, mode = 0o644): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

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

  it("says what is wrong with a file, and that one is missing", async () => {
    await expect(loadClientConfig({ path: file("bad", "clusters: [") })).rejects.toThrow(
      /error loading config file ".*bad"/,
    );
    await expect(loadClientConfig({ path: join(dir, "none") })).rejects.toThrow("no such file or directory");
  });

  it("falls back from in-cluster to nothing, and says so as upstream does", async () => {
    await expect(loadClientConfig({ env: {} })).rejects.toThrow(
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable",
    );
  });
});

describe("in cluster", () => {
  it("uses the pod's service account", () => {
    expect(() => inClusterConfig({})).toThrow(NotInCluster);
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    expect(() => inClusterConfig(env, dir)).toThrow(/token/);
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

const V1 = "client.authentication.k8s.io/v1";

function execConfig(command: string, rest: Partial<ExecConfig> = {}): ExecConfig {
  return {
    command,
    args: [],
    env: [],
    apiVersion: V1,
    installHint: "",
    provideClusterInfo: false,
    interactiveMode: "Never",
    ...rest,
  };
}

describe("credential plugins", () => {
  const config: ClientConfig = { server: "https://h", namespace: "default", execConfig: { a: 1 } };

  it("runs the program with its arguments and environment, and tells it of the cluster", async () => {
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

  it("keeps what it got until it expires, and fetches anew what the server refused", async () => {
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

  it("names what went wrong", async () => {
    const failing = createExecPlugin({
      exec: execConfig(file("failing", "#!/bin/sh\nexit 3\n", 0o755)),
      config,
      clock: testClock(),
    });
    await expect(failing.credentials(signal)).rejects.toThrow(/exec: executable .*failing failed with exit code 3/);
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
});

describe("transports", () => {
  const ca = newAuthority("ca");
  let server: TestServer;
  const seen: { name: string; authorization: string; user: string; groups: string[]; scopes: string[] }[] = [];
  let status = 200;
  beforeAll(async () => {
    server = await startTestServer(serverCertificate(ca), ca, (request, response) => {
      const { authorization = "", "impersonate-user": user = "" } = request.headers;
      const all = (wanted: string): string[] =>
        request.rawHeaders.filter((_, i, list) => i % 2 === 1 && list[i - 1]?.toLowerCase() === wanted);
      const groups = all("impersonate-group");
      const scopes = all("impersonate-extra-example.com%2fscopes");
      seen.push({ name: peerName(request), authorization, user: String(user), groups, scopes });
      response.writeHead(status, { connection: "close" }).end("{}");
    });
  });
  afterAll(() => server.close());

  const configOf = (rest: Partial<ClientConfig>): ClientConfig => ({
    server: server.url,
    certificateAuthorityData: ca.certificatePem,
    namespace: "default",
    ...rest,
  });

  async function call(
    config: ClientConfig,
    { clock = testClock(), metrics = new MetricRegistry({ version: "1.36.4" }), keepsCa = false } = {},
  ) {
    const transport = await createTransport(config, { clock, env: {}, metrics, keepsCa });
    const send = async () => {
      await transport.send(get, signal);
      return seen.at(-1);
    };
    return { transport, send, clock, metrics };
  }

  it("shows the client certificate, and a new one after its files have changed", async () => {
    const [first, second] = ["first", "second"].map((name) => clientCertificate(ca, name)) as [never, never];
    const write = ({ certificatePem, keyPem }: { certificatePem: string; keyPem: string }) => ({
      clientCertificate: file("client.crt", certificatePem),
      clientKey: file("client.key", keyPem),
    });
    const { send, clock, transport } = await call(configOf(write(first)));
    expect((await send())?.name).toBe("first");
    write(second);
    expect((await send())?.name).toBe("first");
    clock.stall(60_000);
    expect((await send())?.name).toBe("second");
    file("client.crt", "");
    rmSync(join(dir, "client.key"));
    clock.stall(60_000);
    expect((await send())?.name).toBe("second");
    expect(transport.host).toBe(new URL(server.url).host);
    transport.close();
  });

  it.each([
    [{ token: "t" }, "Bearer t"],
    [{ username: "u", password: "p" }, `Basic ${btoa("u:p")}`],
    [{ insecureSkipTlsVerify: true }, ""],
  ])("logs in with %j", async (user, authorization) => {
    const { send, transport } = await call(configOf(user));
    expect((await send())?.authorization).toBe(authorization);
    transport.close();
  });

  it("reads a token file again every minute", async () => {
    const tokenFile = file("rotating", "one\n");
    const { send, clock, transport } = await call(configOf({ tokenFile }));
    expect((await send())?.authorization).toBe("Bearer one");
    file("rotating", "two\n");
    expect((await send())?.authorization).toBe("Bearer one");
    clock.stall(50_000);
    expect((await send())?.authorization).toBe("Bearer two");
    rmSync(tokenFile);
    clock.stall(50_000);
    expect((await send())?.authorization).toBe("Bearer two");
    transport.close();
  });

  it.each([
    { gate: true, what: "follows the file of the CA" },
    { gate: false, what: "does not look at it again, but at the client's own" },
  ])("machinery/5.1.r7 with ClientsAllowCARotation=$gate $what", async ({ gate }) => {
    const keepsCa = !gate;
    const first = clientCertificate(ca, "first");
    const certificateAuthority = file("rotating-ca.crt", ca.certificatePem);
    const clientCertificateFile = file("rotating.crt", first.certificatePem);
    const clientKey = file("rotating.key", first.keyPem);
    const config = { server: server.url, certificateAuthority, clientCertificate: clientCertificateFile, clientKey };
    const { send, clock, transport, metrics } = await call({ ...config, namespace: "" }, { keepsCa });
    expect((await send())?.name).toBe("first");
    const second = clientCertificate(ca, "second");
    file("rotating-ca.crt", `${ca.certificatePem}${ca.certificatePem}`);
    file("rotating.crt", second.certificatePem);
    file("rotating.key", second.keyPem);
    clock.stall(60_000);
    expect((await send())?.name).toBe("second");
    const reloads = metrics.value("rest_client_transport_ca_reload_total", ["success", "updated"]);
    expect(reloads).toBe(keepsCa ? undefined : 1);
    transport.close();
  });

  it("takes a certificate from a plugin, and asks it again after a 401", async () => {
    const certificates = ["alpha", "beta"].map((name) => clientCertificate(ca, name));
    const answers = certificates.map(({ certificatePem, keyPem }, i) =>
      file(
        `answer-${i}`,
        JSON.stringify({
          kind: "ExecCredential",
          apiVersion: V1,
          status: { clientCertificateData: certificatePem, clientKeyData: keyPem },
        }),
      ),
    );
    const once = join(dir, "once");
    const script = file(
      "certificates",
      `#!/bin/sh\nif [ -e ${once} ]; then cat ${answers[1]}; else touch ${once}; cat ${answers[0]}; fi\n`,
      0o755,
    );
    const { send, transport } = await call(configOf({ exec: execConfig(script) }));
    status = 401;
    expect((await send())?.name).toBe("alpha");
    status = 200;
    expect((await send())?.name).toBe("beta");
    transport.close();
  });

  it("machinery/6.r18 machinery/6.r19 machinery/6.r20 machinery/6.r21 machinery/6.r22 machinery/6.r23 counts transports, reloads and plugins", async () => {
    const certificateAuthority = file("authority.crt", ca.certificatePem);
    const { send, clock, transport, metrics } = await call({ server: server.url, certificateAuthority, namespace: "" });
    await send();
    clock.stall(60_000);
    await send();
    file("authority.crt", "");
    clock.stall(60_000);
    await send();
    rmSync(certificateAuthority);
    clock.stall(60_000);
    await send();
    const text = metrics.render();
    const expected = [
      "rest_client_transport_cache_entries 1",
      'rest_client_transport_create_calls_total{result="miss"} 1',
      'rest_client_transport_ca_reload_total{reason="unchanged",result="success"} 1',
      'rest_client_transport_ca_reload_total{reason="empty",result="failure"} 1',
      'rest_client_transport_ca_reload_total{reason="read_error",result="failure"} 1',
      "rest_client_exec_plugin_ttl_seconds +Inf",
    ];
    for (const line of expected) expect(text).toContain(line);
    transport.close();
    expect(metrics.render()).toContain("rest_client_transport_cache_entries 0");
    const script = file(
      "two-tokens",
      `#!/bin/sh\nprintf '{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"t"}}'\n`,
      0o755,
    );
    const plugin = await call(configOf({ exec: execConfig(script) }), { clock, metrics });
    await plugin.send();
    expect(metrics.render()).toContain('rest_client_exec_plugin_call_total{call_status="no_error",code="0"} 1');
    plugin.transport.close();
  });

  it("acts as another user with several groups, a line for each", async () => {
    const impersonate = { user: "jane", uid: "", groups: ["a", "b, c"], extra: { "example.com/scopes": ["x", "y"] } };
    const { send, transport } = await call(configOf({ token: "t", impersonate }));
    expect(await send()).toMatchObject({
      user: "jane",
      groups: ["a", "b, c"],
      scopes: ["x", "y"],
    });
    transport.close();
  });

  it("refuses what it cannot do, and a server of another authority", async () => {
    await expect(call(configOf({ proxyUrl: "socks5://p" }))).rejects.toThrow("socks5");
    await expect(call(configOf({ hasAuthProvider: true }))).rejects.toThrow("auth-provider");
    await expect(call({ server: "a b", namespace: "" })).rejects.toThrow("host must be a URL");
    const { send, transport } = await call(
      configOf({ certificateAuthorityData: newAuthority("other").certificatePem }),
    );
    await expect(send()).rejects.toMatchObject({ failure: "tls" });
    transport.close();
  });
});
