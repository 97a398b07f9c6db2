// Client certificates over real connections that stay open while certificates expire and authorities change.
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CertificateOptions, issueCertificate, type KeyCertificate } from "../certificates/x509.ts";
import { type HttpsServer, startHttpsServer } from "./https-server.ts";

const HOUR_MS = 3_600_000;
const startMs = Date.now();
const issue = (options: Omit<CertificateOptions, "notBefore" | "notAfter">): KeyCertificate =>
  issueCertificate({
    usages: ["server", "client"],
    notBefore: startMs - HOUR_MS,
    notAfter: startMs + HOUR_MS,
    ...options,
  });
const ca = issue({ commonName: "ca", isCa: true });
const otherCa = issue({ commonName: "other-ca", isCa: true });
const middle = issue({ commonName: "middle", isCa: true, issuer: ca });
const serving = issue({ commonName: "server", issuer: ca, dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] });
const admin = issue({ commonName: "admin", organizations: ["system:masters"], issuer: ca });
const deputy = issue({ commonName: "deputy", issuer: middle });
const withIntermediate = { ...deputy, certificatePem: deputy.certificatePem + middle.certificatePem };

const tls = (...cas: readonly KeyCertificate[]) => ({
  cert: serving.certificatePem,
  key: serving.keyPem,
  clientCas: cas.map(({ certificatePem: pem }, index) => ({ name: `ca-${index}`, pem })),
});

let server: HttpsServer;
let nowMs = startMs;
beforeAll(async () => {
  server = await startHttpsServer({
    host: "127.0.0.1",
    port: 0,
    tls: tls(ca),
    nowMs: () => nowMs,
    handle: async ({ peer: { certificate, untrusted } }) => ({
      status: 200,
      headers: {},
      body: {
        kind: "bytes",
        bytes: Buffer.from(
          certificate === undefined ? `(${Object.values(untrusted?.problems ?? {})})` : `(${certificate.commonName})`,
        ),
      },
    }),
    onError: () => {},
  });
});
afterAll(() => server.close());

interface Asker {
  ask(): Promise<string>;
  close(): void;
}

const open: Readonly<Record<string, (client: KeyCertificate) => Asker>> = {
  "HTTP/1.1": (client) => {
    const socket = connectHttp1(client);
    return { ask: () => askOn(socket), close: () => socket.destroy() };
  },
  h2: ({ certificatePem: cert, keyPem: key }) => {
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: ca.certificatePem, cert, key });
    return {
      async ask() {
        let body = "";
        for await (const chunk of session.request({ ":path": "/" })) body += chunk;
        return body;
      },
      close: () => session.destroy(),
    };
  },
};

function connectHttp1({ certificatePem: cert, keyPem: key }: KeyCertificate, session?: Buffer): TLSSocket {
  return connectTls({
    host: "127.0.0.1",
    port: server.port,
    ca: ca.certificatePem,
    cert,
    key,
    ...(session === undefined ? {} : { session }),
  });
}

function askOn(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("data", (bytes) => resolve(/\(.*\)/.exec(String(bytes))?.[0] ?? ""));
    socket.once("error", reject);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  });
}

describe.each(["HTTP/1.1", "h2"])("client certificates over %s", (protocol) => {
  const using = async (client: KeyCertificate, use: (asker: Asker) => Promise<void>): Promise<void> => {
    const asker = open[protocol]?.(client) as Asker;
    await use(asker).finally(() => asker.close());
  };

  it("expire on a connection that stays open", () =>
    using(admin, async ({ ask }) => {
      expect(await ask()).toBe("(admin)");
      nowMs = startMs + 2 * HOUR_MS;
      expect(await ask()).toContain("(x509: certificate has expired or is not yet valid: current time");
      nowMs = startMs;
      expect(await ask()).toBe("(admin)");
    }));

  it("are refused when their authority is removed, and accepted when it returns", () =>
    using(admin, async ({ ask }) => {
      expect(await ask()).toBe("(admin)");
      server.update(tls(otherCa));
      expect(await ask()).toBe("(x509: certificate signed by unknown authority)");
      server.update(tls(otherCa, ca));
      expect(await ask()).toBe("(admin)");
      server.update(tls(ca));
    }));

  it("may be signed by an intermediate that the client sends", async () => {
    await using(withIntermediate, async ({ ask }) => expect(await ask()).toBe("(deputy)"));
    await using(deputy, async ({ ask }) => expect(await ask()).toBe("(x509: certificate signed by unknown authority)"));
  });
});

it("keep their intermediates when the client offers to resume a session", async () => {
  const first = connectHttp1(withIntermediate);
  expect(await askOn(first)).toBe("(deputy)");
  const second = connectHttp1(withIntermediate, first.getSession());
  expect(await askOn(second)).toBe("(deputy)");
  for (const socket of [first, second]) socket.destroy();
});
