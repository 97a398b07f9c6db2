// TLS of the daemon's port.

import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import { issueCertificate, type KeyCertificate } from "#platform/certificates/x509.ts";
import type { ControlPlane, RunningManager } from "./control-plane.ts";
import { ourDaemon } from "./daemon.ts";
import { freePorts, openProcessScope } from "./processes.ts";
import { describeReal, eventually, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const HOUR_MS = 3_600_000;
const idle = ["-job-controller"];

describeReal("the daemon's port", () => {
  const plane = useControlPlane();

  const start = (flags: readonly string[], controllers: readonly string[] = idle): Promise<RunningManager> =>
    plane().startManager(ourDaemon, { controllers, flags });
  const page = async (program: RunningManager, path: string, headers: Record<string, string> = {}): Promise<string> =>
    (await program.ask(path, { headers, isInsecure: true })).text;

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
      issuer: plane().pki.ca,
      notBefore: Date.now() - HOUR_MS,
      notAfter: Date.now() + HOUR_MS,
    });
  const write = (name: string, { certificatePem, keyPem }: KeyCertificate): string => {
    writeFileSync(join(plane().directory, `${name}.key`), keyPem);
    writeFileSync(join(plane().directory, `${name}.crt`), certificatePem);
    return join(plane().directory, name);
  };

  it(
    "machinery/2.4.2, machinery/1.7.r39, machinery/1.7.r40 presents a new certificate when its files change, and the old one while they are broken",
    async () => {
      const base = write("serving", issue("first"));
      const program = await start([`--tls-cert-file=${base}.crt`, `--tls-private-key-file=${base}.key`]);
      expect((await handshake(program, {})).name).toBe("first");
      writeFileSync(`${base}.crt`, "broken");
      await logged(program, "the old ones stay in use");
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
      const ca = join(plane().directory, "client-ca.crt");
      copyFileSync(plane().pki.file("front-proxy-ca.crt"), ca);
      const program = await start([`--client-ca-file=${ca}`]);
      const status = async (): Promise<number> => (await program.ask("/configz")).status;
      expect(await status()).toBe(401);
      copyFileSync(plane().pki.file("ca.crt"), ca);
      await eventually(async () => ((await status()) === 200 ? true : undefined));
      await program.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.7.r44 chooses a certificate by the server's name",
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
    "machinery/1.7.r41, machinery/1.7.r43 speaks TLS 1.2 and newer, or what it is told",
    async () => {
      const usual = await start([]);
      expect((await handshake(usual, { maxVersion: "TLSv1.2" })).protocol).toBe("TLSv1.2");
      await expect(handshake(usual, { minVersion: "TLSv1", maxVersion: "TLSv1.1" })).rejects.toThrow();
      await usual.stop();
      const strict = await start(["--tls-min-version=VersionTLS13"]);
      await expect(handshake(strict, { maxVersion: "TLSv1.2" })).rejects.toThrow();
      await strict.stop();
      const one = "--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";
      const suite = await start([one, "--disable-http2-serving"]); // the suite needs another key
      expect((await handshake(suite, { maxVersion: "TLSv1.2" })).cipher).toBe("ECDHE-ECDSA-AES256-GCM-SHA384");
      await expect(
        handshake(suite, { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" }),
      ).rejects.toThrow();
      await suite.stop();
      const weak = "TLS_RSA_WITH_AES_128_GCM_SHA256";
      const insecure = await start([`--tls-cipher-suites=${weak},TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256`]);
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
    "machinery/1.7.r38 makes a certificate of its own, in memory or in --cert-dir, and keeps the one it finds",
    async () => {
      const none = ["--tls-cert-file=", "--tls-private-key-file="];
      const certs = join(plane().directory, "certs");
      const first = await selfSigned(plane(), [...none, `--cert-dir=${certs}`]);
      expect(first.name).toMatch(/^localhost@\d+$/);
      expect(statSync(join(certs, "kube-controller-manager.key")).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(certs, "kube-controller-manager.crt"), "utf8").match(/BEGIN CERTIFICATE/g)).toHaveLength(
        2,
      );
      expect((await selfSigned(plane(), [...none, `--cert-dir=${certs}`])).name).toBe(first.name);
      const memory = await selfSigned(plane(), none);
      expect(memory.name).toMatch(/^localhost@\d+$/);
      expect(memory.log).toContain("Generated self-signed cert in-memory");
      expect(existsSync(join(plane().directory, "kube-controller-manager.crt"))).toBe(false);
    },
    LIMIT_MS,
  );
});

/** Starts the daemon on a free port and reads the certificate that it presents. */
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
