// Transports made from a client configuration: their identity, and changes of their files. With real files, processes
// and sockets.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Transport } from "#base/http.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { testClock } from "#base/testing.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import type { KeyCertificate } from "../certificates/x509.ts";
import {
  chunksOf,
  clientCertificate,
  eventually,
  failureOf,
  newAuthority,
  peerName,
  serverCertificate,
  startTestServer,
  type TestServer,
} from "../http-client/http-client.testing.ts";
import { execConfig, temporaryFiles, V1 } from "./kubeconfig.testing.ts";
import { createTransport } from "./kubeconfig-transport.ts";

const { dir, file } = temporaryFiles();
const signal = new AbortController().signal;
const get = { method: "GET", path: "/", query: "", headers: {} };

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
      if (request.url === "/watch") response.writeHead(200).write("open");
      else response.writeHead(status, { connection: "close" }).end("{}");
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

  it("presents the client certificate, and a new one after its files have changed", async () => {
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

  /** Opens a watch and returns how it ends. */
  const watch = async (transport: Transport): Promise<{ end: Promise<string> }> => {
    const chunks = chunksOf(await transport.send({ ...get, path: "/watch" }, signal));
    await chunks.next();
    return { end: failureOf(chunks.next()) };
  };

  it("cuts open watches when the files of its certificate have changed, and not those of the CA", async () => {
    const [first, second] = ["first", "second"].map((name) => clientCertificate(ca, name)) as [never, never];
    const write = ({ certificatePem, keyPem }: { certificatePem: string; keyPem: string }) => ({
      clientCertificate: file("watching.crt", certificatePem),
      clientKey: file("watching.key", keyPem),
    });
    const certificateAuthority = file("watching-ca.crt", ca.certificatePem);
    const config = { server: server.url, namespace: "", certificateAuthority, ...write(first) };
    const { send, clock, transport } = await call(config);
    const { end: firstEnd } = await watch(transport);
    file("watching-ca.crt", `${ca.certificatePem}${ca.certificatePem}`);
    clock.stall(60_000);
    expect((await send())?.name).toBe("first");
    const { end: secondEnd } = await watch(transport);
    await eventually(() => server.sockets.size === 2);
    write(second);
    clock.stall(60_000);
    expect((await send())?.name).toBe("second");
    expect([await firstEnd, await secondEnd]).toEqual(["reset", "reset"]);
    const { end: thirdEnd } = await watch(transport);
    expect(seen.at(-1)?.name).toBe("second");
    for (const socket of server.sockets) socket.destroy();
    expect(await thirdEnd).toBe("reset");
    transport.close();
  });

  it("cuts open watches when a plugin gives another certificate, and not for another token", async () => {
    const answer = join(dir, "rotating.json");
    const give = (token: string, { certificatePem, keyPem }: KeyCertificate): void => {
      const credential = { token, clientCertificateData: certificatePem, clientKeyData: keyPem };
      const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
      const status = { ...credential, expirationTimestamp };
      writeFileSync(answer, JSON.stringify({ kind: "ExecCredential", apiVersion: V1, status }));
    };
    const clock = testClock();
    const [first, second] = [clientCertificate(ca, "first"), clientCertificate(ca, "second")];
    give("one", first);
    const script = file("rotating-plugin", `#!/bin/sh\ncat ${answer}\n`, 0o755);
    const { send, transport } = await call(configOf({ exec: execConfig(script) }), { clock });
    const { end } = await watch(transport);
    clock.stall(61_000);
    give("two", first);
    expect(await send()).toMatchObject({ name: "first", authorization: "Bearer two" });
    await eventually(() => server.sockets.size === 1);
    clock.stall(61_000);
    give("two", second);
    expect(await send()).toMatchObject({ name: "second", authorization: "Bearer two" });
    expect(await end).toBe("reset");
    transport.close();
  });

  it.each([
    [{ token: "t" }, "Bearer t"],
    [{ username: "u", password: "p" }, `Basic ${btoa("u:p")}`],
    [{ clientKeyData: "a key alone is not looked at" }, ""],
  ])("logs in with %j", async (user, authorization) => {
    const { send, transport } = await call(configOf(user));
    expect((await send())?.authorization).toBe(authorization);
    transport.close();
  });

  it("skips verification if configured", async () => {
    const { send, transport } = await call({ server: server.url, insecureSkipTlsVerify: true, namespace: "" });
    expect((await send())?.authorization).toBe("");
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
    { gate: false, what: "reads it once, and follows the client's own files" },
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

  it("keeps the old pair while the new one is incomplete, and the old CA while the new one is invalid", async () => {
    const [first, second] = ["first", "second"].map((name) => clientCertificate(ca, name)) as [never, never];
    const write = ({ certificatePem, keyPem }: { certificatePem: string; keyPem: string }) => ({
      certificateAuthority: file("half-ca.crt", ca.certificatePem),
      clientCertificate: file("half.crt", certificatePem),
      clientKey: file("half.key", keyPem),
    });
    const files = write(first);
    const { send, clock, transport, metrics } = await call({ server: server.url, namespace: "", ...files });
    expect((await send())?.name).toBe("first");
    const { certificatePem } = second as { certificatePem: string };
    for (const half of [certificatePem, certificatePem.slice(0, 200), "", "nonsense"]) {
      file("half.crt", half);
      clock.stall(60_000);
      expect((await send())?.name).toBe("first");
    }
    write(second);
    file("half-ca.crt", "nonsense");
    clock.stall(60_000);
    expect((await send())?.name).toBe("second");
    expect(metrics.value("rest_client_transport_ca_reload_total", ["failure", "ca_parse_error"])).toBe(1);
    transport.close();
  });

  it("keeps a plugin's certificate when the file of the CA changes", async () => {
    const { certificatePem, keyPem } = clientCertificate(ca, "plugged");
    const answer = {
      kind: "ExecCredential",
      apiVersion: V1,
      status: { clientCertificateData: certificatePem, clientKeyData: keyPem },
    };
    const script = file("plugged", `#!/bin/sh\ncat ${file("plugged.json", JSON.stringify(answer))}\n`, 0o755);
    const certificateAuthority = file("plugged-ca.crt", ca.certificatePem);
    const config = { server: server.url, certificateAuthority, namespace: "", exec: execConfig(script) };
    const { send, clock, transport } = await call(config);
    expect((await send())?.name).toBe("plugged");
    file("plugged-ca.crt", `${ca.certificatePem}${ca.certificatePem}`);
    clock.stall(60_000);
    expect((await send())?.name).toBe("plugged");
    transport.close();
  });

  it("reports a failed plugin and an unreadable token file", async () => {
    const plugin = await call(configOf({ exec: execConfig(file("broken", "#!/bin/sh\nexit 4\n", 0o755)) }));
    await expect(plugin.send()).rejects.toThrow(
      /^getting credentials: exec: executable .*broken failed with exit code 4$/,
    );
    plugin.transport.close();
    const tokenFile = file("no-token", "soon gone");
    const login = await call(configOf({ tokenFile }));
    rmSync(tokenFile);
    await expect(login.send()).rejects.toThrow(
      `failed to read token file "${tokenFile}": open ${tokenFile}: no such file or directory`,
    );
    login.transport.close();
  });

  it("takes a certificate from a plugin, and runs it again after a 401", async () => {
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

  it("trusts the machine's authorities when the configuration names none", async () => {
    const other = newAuthority("other").certificatePem;
    const missing = join(dir, "none");
    const trust = join(dir, "trust");
    mkdirSync(trust);
    writeFileSync(join(trust, "any-name"), `${other}garbage${ca.certificatePem}`);
    const cases = [
      { SSL_CERT_FILE: file("bundle.crt", `${other}${ca.certificatePem}`), SSL_CERT_DIR: missing },
      { SSL_CERT_FILE: missing, SSL_CERT_DIR: `${missing}:${trust}` },
    ];
    for (const env of cases) {
      const transport = await createTransport({ server: server.url, namespace: "" }, { clock: testClock(), env });
      expect((await transport.send(get, signal)).status).toBe(200);
      transport.close();
    }
    const strict = { SSL_CERT_FILE: file("strict.crt", other), SSL_CERT_DIR: missing };
    const transport = await createTransport({ server: server.url, namespace: "" }, { clock: testClock(), env: strict });
    await expect(transport.send(get, signal)).rejects.toMatchObject({ failure: "tls" });
    transport.close();
  });

  it("impersonates a user with several groups, one header line for each", async () => {
    const impersonate = { user: "jane", uid: "", groups: ["a", "b, c"], extra: { "example.com/scopes": ["x", "y"] } };
    const { send, transport } = await call(configOf({ token: "t", impersonate }));
    expect(await send()).toMatchObject({
      user: "jane",
      groups: ["a", "b, c"],
      scopes: ["x", "y"],
    });
    transport.close();
  });

  it("refuses unsupported configurations, and a server of another authority", async () => {
    await expect(call(configOf({ proxyUrl: "socks5://p" }))).rejects.toThrow("socks5");
    await expect(call(configOf({ hasAuthProvider: true }))).rejects.toThrow("auth-provider");
    await expect(call(configOf({ proxyUrl: "http://u:s3cret@::bad::" }))).rejects.toThrow(
      /^invalid proxy address "((?!s3cret).)*"$/,
    );
    await expect(call({ server: "a b", namespace: "" })).rejects.toThrow('parse "http://a b"');
    await expect(call(configOf({ tokenFile: "/nope" }))).rejects.toThrow("open /nope: no such file or directory");
    await expect(call(configOf({ certificateAuthorityData: "x" }))).rejects.toThrow(
      "unable to parse bytes as PEM block",
    );
    await expect(call(configOf({ insecureSkipTlsVerify: true }))).rejects.toThrow(
      "with the insecure flag is not allowed",
    );
    await expect(call(configOf({ clientCertificateData: "x", clientKeyData: "y" }))).rejects.toThrow(
      "tls: failed to find any PEM data in certificate input",
    );
    const { send, transport } = await call(
      configOf({ certificateAuthorityData: newAuthority("other").certificatePem }),
    );
    await expect(send()).rejects.toMatchObject({ failure: "tls" });
    transport.close();
  });
});
