// TLS of the daemon's port, its metrics beside the Go program's, and what must never reach the log.

import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { issueCertificate, type KeyCertificate } from "#platform/x509.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "./control-plane.ts";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { freePorts, openProcessScope } from "./processes.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 120_000;
const HOUR_MS = 3_600_000;
const idle = ["-job-controller"];

describeReal("the daemon's port", () => {
  let plane: ControlPlane;
  const directory = mkdtempSync(join(tmpdir(), "daemon-serving-"));
  beforeAll(async () => {
    plane = await startControlPlane();
  }, LIMIT_MS);
  afterAll(async () => {
    await plane?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (flags: readonly string[], controllers: readonly string[] = idle): Promise<RunningManager> =>
    plane.startManager(ourDaemon, { controllers, flags });
  const page = async ({ url }: RunningManager, path: string, headers: Record<string, string> = {}): Promise<string> =>
    (
      await callHttps({
        url: url + path,
        caPem: plane.pki.ca.certificatePem,
        client: plane.admin,
        headers,
        isInsecure: true,
      })
    ).text;

  function handshake(
    { url }: RunningManager,
    options: ConnectionOptions,
  ): Promise<{ name: string; protocol: string; cipher: string }> {
    return new Promise((resolve, reject) => {
      const { port } = new URL(url);
      const socket: TLSSocket = connect(
        { host: "127.0.0.1", port: Number(port), rejectUnauthorized: false, ...options },
        () => {
          resolve({
            name: String(socket.getPeerCertificate().subject.CN),
            protocol: socket.getProtocol() ?? "",
            cipher: socket.getCipher().name,
          });
          socket.destroy();
        },
      );
      socket.on("error", reject);
    });
  }

  const issue = (commonName: string): KeyCertificate =>
    issueCertificate({
      commonName,
      dnsNames: [`${commonName}.example.com`],
      ipAddresses: ["127.0.0.1"],
      usages: ["server"],
      issuer: plane.pki.ca,
      notBefore: Date.now() - HOUR_MS,
      notAfter: Date.now() + HOUR_MS,
    });
  const write = (name: string, { certificatePem, keyPem }: KeyCertificate): string => {
    writeFileSync(join(directory, `${name}.key`), keyPem);
    writeFileSync(join(directory, `${name}.crt`), certificatePem);
    return join(directory, name);
  };

  it(
    "machinery/2.4.2 presents a new certificate when its files change, and the old one while they are broken",
    async () => {
      const base = write("serving", issue("first"));
      const program = await start([`--tls-cert-file=${base}.crt`, `--tls-private-key-file=${base}.key`]);
      expect((await handshake(program, {})).name).toBe("first");
      writeFileSync(`${base}.crt`, "broken");
      await eventually(() => (program.log().includes("the old ones stay in force") ? true : undefined));
      expect((await handshake(program, {})).name).toBe("first");
      write("serving", issue("second"));
      await eventually(async () => ((await handshake(program, {})).name === "second" ? true : undefined));
      expect(await page(program, "/healthz")).toBe("ok");
      await program.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.2 follows the client CA's file",
    async () => {
      const ca = join(directory, "client-ca.crt");
      copyFileSync(plane.pki.file("front-proxy-ca.crt"), ca);
      const program = await start([`--client-ca-file=${ca}`]);
      const status = async (): Promise<number> =>
        (await callHttps({ url: `${program.url}/configz`, caPem: plane.pki.ca.certificatePem, client: plane.admin }))
          .status;
      expect(await status()).toBe(401);
      copyFileSync(plane.pki.file("ca.crt"), ca);
      await eventually(async () => ((await status()) === 200 ? true : undefined));
      await program.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4 chooses a certificate by the server's name",
    async () => {
      const named = write("named", issue("named"));
      const wild = write("wild", issue("wild"));
      const program = await start([
        `--tls-sni-cert-key=${named}.crt,${named}.key`,
        `--tls-sni-cert-key=${wild}.crt,${wild}.key:*.wild.example.com,exact.example.com`,
      ]);
      expect((await handshake(program, { servername: "named.example.com" })).name).toBe("named");
      expect((await handshake(program, { servername: "a.wild.example.com" })).name).toBe("wild");
      expect((await handshake(program, { servername: "exact.example.com" })).name).toBe("wild");
      expect((await handshake(program, { servername: "other.example.com" })).name).toBe("test-control-plane");
      await program.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4 speaks TLS 1.2 and newer, or what it is told",
    async () => {
      const usual = await start([]);
      expect((await handshake(usual, { maxVersion: "TLSv1.2" })).protocol).toBe("TLSv1.2");
      await expect(handshake(usual, { minVersion: "TLSv1", maxVersion: "TLSv1.1" })).rejects.toThrow();
      await usual.stop();
      const strict = await start(["--tls-min-version=VersionTLS13"]);
      await expect(handshake(strict, { maxVersion: "TLSv1.2" })).rejects.toThrow();
      await strict.stop();
      const suite = await start(["--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"]);
      expect((await handshake(suite, { maxVersion: "TLSv1.2" })).cipher).toBe("ECDHE-ECDSA-AES256-GCM-SHA384");
      await expect(
        handshake(suite, { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" }),
      ).rejects.toThrow();
      await suite.stop();
      const weak = "TLS_RSA_WITH_AES_128_GCM_SHA256";
      const insecure = await start([`--tls-cipher-suites=${weak},TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384`]);
      expect(insecure.log()).toContain(`Use of insecure cipher '${weak}' detected.`);
      await insecure.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4 speaks h2 unless it is told not to",
    async () => {
      const protocolOf = ({ url }: RunningManager): Promise<string | false | null> =>
        new Promise((resolve, reject) => {
          const socket: TLSSocket = connect(
            {
              host: "127.0.0.1",
              port: Number(new URL(url).port),
              rejectUnauthorized: false,
              ALPNProtocols: ["h2", "http/1.1"],
            },
            () => {
              resolve(socket.alpnProtocol);
              socket.destroy();
            },
          );
          socket.on("error", reject);
        });
      const usual = await start([]);
      expect(await protocolOf(usual)).toBe("h2");
      await usual.stop();
      const plain = await start(["--disable-http2-serving"]);
      expect(await protocolOf(plain)).toBe("http/1.1");
      await plain.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4 makes a certificate of its own, in memory or in --cert-dir, and keeps the one it finds",
    async () => {
      const none = ["--tls-cert-file=", "--tls-private-key-file="];
      const certs = join(directory, "certs");
      const first = await selfSigned(plane, [...none, `--cert-dir=${certs}`]);
      expect(first.name).toMatch(/^localhost@\d+$/);
      expect(statSync(join(certs, "kube-controller-manager.key")).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(certs, "kube-controller-manager.crt"), "utf8").match(/BEGIN CERTIFICATE/g)).toHaveLength(
        2,
      );
      expect((await selfSigned(plane, [...none, `--cert-dir=${certs}`])).name).toBe(first.name);
      const memory = await selfSigned(plane, none);
      expect(memory.name).toMatch(/^localhost@\d+$/);
      expect(memory.log).toContain("Generated self-signed cert in-memory");
      expect(existsSync(join(plane.directory, "kube-controller-manager.crt"))).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    "machinery/6.r8, machinery/6.r24, machinery/6.r27, machinery/6.r28, machinery/6.r29, machinery/6.r33..r39, machinery/6.r42, machinery/6.n2 describes every metric as the Go program does in the same run",
    async () => {
      const headersOf = async (command: readonly [string, ...string[]]): Promise<ReadonlyMap<string, string>> => {
        const program = await plane.startManager(command, {
          controllers: sharedControllers,
          flags: [
            "--leader-elect=true",
            "--leader-elect-lease-duration=3s",
            "--leader-elect-renew-deadline=2s",
            "--leader-elect-retry-period=500ms",
          ],
        });
        await eventually(async () =>
          (await page(program, "/healthz?verbose")).includes("replicaset-controller") ? true : undefined,
        );
        const token = await plane.tokenFor("default", "metrics");
        await callHttps({
          url: `${program.url}/metrics`,
          caPem: plane.pki.ca.certificatePem,
          headers: { authorization: `Bearer ${token}` },
        });
        const namespace = `metrics-${Math.random().toString(36).slice(2, 8)}`;
        await plane.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
        await eventually(async () =>
          (await plane.request("GET", `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`)).status === 200
            ? true
            : undefined,
        );
        const text = await page(program, "/metrics");
        await program.stop("SIGKILL");
        return describedIn(text);
      };
      const ours = await headersOf(ourDaemon);
      const go = await headersOf(goDaemon());
      const own = [...ours.keys()].filter((name) => !name.startsWith("nodejs_"));
      expect(Object.fromEntries(own.map((name) => [name, ours.get(name)]))).toEqual(
        Object.fromEntries(own.map((name) => [name, go.get(name)])),
      );
      expect(own).toEqual(expect.arrayContaining(Object.values(rows).flat()));
      const missing = [...go.keys()].filter((name) => !ours.has(name) && !name.startsWith("go_"));
      expect(missing.filter((name) => !linkedOnly.test(name))).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.2 gives metrics as text, compressed and as protobuf",
    async () => {
      const program = await start([]);
      const call = (headers: Record<string, string>) =>
        callHttps({ url: `${program.url}/metrics`, caPem: plane.pki.ca.certificatePem, client: plane.admin, headers });
      expect((await call({})).headers["content-type"]).toBe(
        "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
      );
      expect((await call({ "accept-encoding": "gzip" })).headers["content-encoding"]).toBe("gzip");
      const protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";
      const { headers, text } = await call({ accept: `${protobuf};q=0.7,text/plain;version=0.0.4;q=0.3` });
      expect(headers["content-type"]).toContain("application/vnd.google.protobuf");
      expect(text).toContain("authentication_attempts");
      expect((await call({ accept: "application/openmetrics-text;version=1.0.0" })).headers["content-type"]).toContain(
        "text/plain",
      );
      await program.stop();
    },
    LIMIT_MS,
  );

  it(
    "issue 7 writes no secret to its log at verbosity 10",
    async () => {
      const secret = "c2VjcmV0LXBsYW50ZWQ";
      const plugin = join(directory, "plugin.sh");
      const credential = {
        apiVersion: "client.authentication.k8s.io/v1",
        kind: "ExecCredential",
        status: { token: `${secret}-exec` },
      };
      writeFileSync(
        plugin,
        `#!/bin/sh\necho '${JSON.stringify(credential)}'\necho '${secret}-stderr-is-the-plugin-s-own' >/dev/null\n`,
        { mode: 0o755 },
      );
      const withUser = (user: object): string => {
        const file = join(directory, `kubeconfig-${Math.random()}`);
        const config = JSON.parse(readFileSync(plane.adminKubeconfig, "utf8")) as { users: object[] };
        writeFileSync(file, JSON.stringify({ ...config, users: [{ name: "test", user }] }));
        return file;
      };
      const token = `${await plane.tokenFor("kube-system", "secretive")}`;
      const configs = [
        withUser({ token }),
        withUser({ token: `${secret}-token` }),
        withUser({ username: "u", password: `${secret}-password` }),
        withUser({
          exec: {
            apiVersion: credential.apiVersion,
            command: plugin,
            interactiveMode: "Never",
            env: [{ name: "X", value: `${secret}-env` }],
          },
        }),
      ];
      await plane.request("POST", "/api/v1/namespaces/default/secrets", {
        metadata: { name: "planted" },
        stringData: { key: `${secret}-object` },
      });
      for (const config of configs) {
        const flags = [
          "-v=10",
          `--kubeconfig=${config}`,
          "--leader-elect=true",
          `--leader-elect-resource-name=secrets-${configs.indexOf(config)}`,
        ];
        const program = await start(flags, sharedControllers);
        for (const headers of [
          { authorization: `Bearer ${secret}-bearer` },
          { authorization: `Basic ${secret}-basic` },
          { cookie: `${secret}-cookie` },
        ]) {
          await callHttps({ url: `${program.url}/metrics`, caPem: plane.pki.ca.certificatePem, headers });
        }
        await eventually(() => (program.log().includes("lease") ? true : undefined));
        await new Promise((resolve) => setTimeout(resolve, 1500));
        const log = program.log();
        expect(log.length).toBeGreaterThan(5000);
        expect(log).not.toContain(secret);
        expect(log).not.toContain(token);
        expect(log).not.toMatch(/eyJhbGciOi/); // no JWT of any kind, those of service accounts included
        await program.stop("SIGKILL");
      }
    },
    LIMIT_MS,
  );
});

/** Starts the daemon on a port of its own choosing and looks at the certificate it presents. */
async function selfSigned(plane: ControlPlane, flags: readonly string[]): Promise<{ name: string; log: string }> {
  const scope = openProcessScope("daemon-serving");
  try {
    const [port = 0] = await freePorts(1);
    const program = scope.start({
      name: "daemon",
      command: [
        ...ourDaemon,
        `--kubeconfig=${plane.adminKubeconfig}`,
        `--secure-port=${port}`,
        "--leader-elect=false",
        `--controllers=${idle[0]}`,
        ...flags,
      ],
    });
    const name = await eventually(
      () =>
        new Promise<string | undefined>((resolve) => {
          const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
            resolve(String(socket.getPeerCertificate().subject.CN));
            socket.destroy();
          });
          socket.on("error", () => resolve(undefined));
        }),
    );
    return { name, log: program.log() };
  } finally {
    await scope.close();
  }
}

/** Names to "TYPE: help", and the bounds of histograms. */
function describedIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", help = ""] of text.matchAll(/^# HELP (\S+) (.*)$/gm)) found.set(name, help);
  for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\S+) (.*)$/gm)) {
    const bounds = [
      ...new Set([...text.matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`, "gm"))].map(([, bound]) => bound)),
    ];
    const labels = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, "m").exec(text)?.[1] ?? "";
    const names = [...labels.matchAll(/(\w+)=/g)].map(([, label]) => label);
    // Gates and versions are the same, so their series are too.
    const isSame = name === "kubernetes_feature_enabled" || name === "version_info";
    const series = isSame ? (text.match(new RegExp(`^${name}\\{.*$`, "gm")) ?? []).join("\n") : "";
    found.set(name, `${type}: ${found.get(name)} ${names.join(",")} ${bounds.join(" ")}${series}`);
  }
  return found;
}

/** What must be there after a certificate and a token have been used, by row of the ledger. */
const rows: Readonly<Record<string, readonly string[]>> = {
  r8: ["leader_election_master_status"],
  r24: ["rest_client_transport_cert_rotation_gc_calls_total"],
  r27: ["kubernetes_build_info"],
  r28: ["kubernetes_feature_enabled"],
  r29: ["version_info"],
  r33: ["authenticated_user_requests"],
  r34: ["authentication_attempts", "authorization_attempts_total"],
  r35: ["authentication_duration_seconds", "authorization_duration_seconds"],
  r36: ["request_duration_seconds", "request_total", "fetch_total", "active_fetch_count"].map(
    (name) => `authentication_token_cache_${name}`,
  ),
  r37: ["apiserver_delegated_authn_request_total", "apiserver_delegated_authn_request_duration_seconds"],
  r38: ["apiserver_delegated_authz_request_total", "apiserver_delegated_authz_request_duration_seconds"],
  r39: ["apiserver_client_certificate_expiration_seconds"],
  r42: [
    "cpu_seconds_total",
    "open_fds",
    "max_fds",
    "resident_memory_bytes",
    "virtual_memory_bytes",
    "start_time_seconds",
    "network_receive_bytes_total",
  ].map((name) => `process_${name}`),
};

/** In the Go program by linkage only, or of controllers that ours does not have yet. */
const linkedOnly =
  /^(aggregator_discovery_|apiextensions_|apiserver_(audit|cel|envelope|kube_aggregator|storage|validation|webhooks|request|response|current|tls|init|flowcontrol|longrunning|selfrequest|terminated)|node_collector_)/;
