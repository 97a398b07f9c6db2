// How the HTTP client connects, which authorities it trusts, which certificate it presents, and what happens to open
// connections when these change. Run by http-client.test.ts.
import { type AddressInfo, createServer } from "node:net";
import type { TLSSocket } from "node:tls";
import { beforeEach, describe, expect, it } from "vitest";
import type { CertificateOptions } from "../certificates/x509.ts";
import {
  bodyText,
  chunksOf,
  clientCertificate,
  eventually,
  failureOf,
  get,
  type IncomingMessage,
  never,
  newAuthority,
  peerName,
  type ServerResponse,
  serverCertificate,
  startTestServer,
  text,
} from "./http-client.testing.ts";
import type { ClientTls, HttpClient, HttpClientOptions } from "./http-client.ts";
import { clientStage } from "./http-client-stage.testing.ts";

export function httpConnectionContract(name: string, create: (options: HttpClientOptions) => HttpClient): void {
  describe(`${name} keeps the HTTP client contract of connections`, () => {
    const stage = clientStage(create);
    const { make, authority } = stage;
    const stranger = newAuthority("stranger");
    const ok = (request: IncomingMessage, response: ServerResponse): void => {
      const reply = peerName(request);
      response.writeHead(200, { "content-length": reply.length });
      response.end(reply);
    };

    it("refused", async () => {
      const closed = createServer();
      await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
      const { port } = closed.address() as AddressInfo;
      await new Promise((resolve) => closed.close(resolve));
      const client = make({ baseUrl: `https://127.0.0.1:${port}` });
      const sending = client.send(get("/version"), never());
      expect(await failureOf(sending)).toBe("refused");
      await expect(client.send(get("/version"), never())).rejects.toThrow(
        `Get "https://127.0.0.1:${port}/version": dial tcp 127.0.0.1:${port}: connect: connection refused`,
      );
    });

    it("a name that does not exist", async () => {
      expect(await failureOf(make({ baseUrl: "https://no-such-host.invalid" }).send(get("/"), never()))).toBe("dns");
    });

    it("closed before an answer", async () => {
      stage.answer = (request) => {
        request.socket.destroy();
      };
      expect(await failureOf(make().send({ ...get("/"), method: "POST" }, never()))).toBe("reset");
    });

    const attempt = async (names: Partial<CertificateOptions>, options: Partial<HttpClientOptions>) => {
      const other = await startTestServer(serverCertificate(authority, names), authority, ok);
      try {
        return await make({ baseUrl: other.url, ...options }).send(get("/"), never());
      } finally {
        await other.close();
      }
    };

    it("trusts only its authority, only for the right name and time", async () => {
      stage.answer = ok;
      const untrusting = make({ ca: stranger.certificatePem });
      expect(await failureOf(untrusting.send(get("/"), never()))).toBe("tls");
      await expect(untrusting.send(get("/"), never())).rejects.toThrow("x509: certificate signed by unknown authority");
      const alien = { dnsNames: ["api.example"], ipAddresses: [] };
      expect(await failureOf(attempt(alien, {}))).toBe("tls");
      expect(await failureOf(attempt({ notAfter: Date.now() - 1000 }, {}))).toBe("tls");
      expect((await attempt(alien, { serverName: "api.example" })).status).toBe(200);
      expect(await failureOf(attempt({}, { serverName: "api.example" }))).toBe("tls");
      expect((await attempt(alien, { insecureSkipVerify: true })).status).toBe(200);
    });

    const relic = "certificate relies on legacy Common Name field, use SANs instead";
    it.each([
      ["localhost", { commonName: "localhost", dnsNames: [], ipAddresses: [] }, relic],
      ["api.example", { commonName: "*.example", dnsNames: [], ipAddresses: [] }, relic],
      ["127.0.0.1", { commonName: "127.0.0.1", dnsNames: [], ipAddresses: [] }, relic],
      [
        "localhost",
        { commonName: "localhost", dnsNames: [] },
        "certificate is not valid for any names, but wanted to match localhost",
      ],
      [
        "127.0.0.1",
        { ipAddresses: [] },
        "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
      ],
      ["api.example", { dnsNames: ["a", "*.b"] }, "certificate is valid for a, *.b, not api.example"],
      ["127.0.0.2", { ipAddresses: ["::1", "127.0.0.1"] }, "certificate is valid for ::1, 127.0.0.1, not 127.0.0.2"],
    ])("says what is wrong with a certificate for %s with %j", async (serverName, names, problem) => {
      stage.answer = ok;
      const sending = attempt(names, { serverName });
      sending.catch(() => undefined);
      expect(await failureOf(sending)).toBe("tls");
      await expect(sending).rejects.toThrow(`/": tls: failed to verify certificate: x509: ${problem}`);
      expect((await attempt(names, { serverName, insecureSkipVerify: true })).status).toBe(200);
    });

    describe("after an update", () => {
      const pair = (commonName: string): ClientTls => {
        const { certificatePem, keyPem } = clientCertificate(authority, commonName);
        return { cert: certificatePem, key: keyPem };
      };
      const ca = { ca: authority.certificatePem };
      const bothCas = { ca: authority.certificatePem + stranger.certificatePem };
      const [alice, bob] = [pair("alice"), pair("bob")];
      let streams: ServerResponse[];
      let silent: IncomingMessage[];
      beforeEach(() => {
        [streams, silent] = [[], []];
        stage.answer = (request, response) => {
          if (request.url === "/silent" && peerName(request) === "alice") return void silent.push(request);
          if (request.url !== "/stream") return ok(request, response);
          streams.push(response);
          response.writeHead(200);
          response.write(peerName(request));
        };
      });
      const openStream = async (client: HttpClient): Promise<AsyncIterator<Uint8Array>> => {
        const chunks = chunksOf(await client.send(get("/stream"), never()));
        expect(text((await chunks.next()).value)).toBe("alice");
        return chunks;
      };
      const nameOf = async (client: HttpClient): Promise<string> => bodyText(await client.send(get("/"), never()));

      it("new connections use the new certificate, and streams with the old one are cut", async () => {
        const client = make(alice);
        expect(await nameOf(client)).toBe("alice");
        const chunks = await openStream(client);
        const end = failureOf(chunks.next());
        client.update({ ...ca, ...bob });
        expect(await end).toBe("reset");
        await eventually(() => streams[0]?.socket?.destroyed !== false);
        expect(await nameOf(client)).toBe("bob");
        client.update(ca);
        expect(await nameOf(client)).toBe("");
      });

      it("a write in progress fails as on a lost connection; a read on a reused connection is sent again", async () => {
        const client = make(alice);
        const writing = failureOf(client.send({ ...get("/silent"), method: "POST" }, never()));
        await eventually(() => silent.length === 1);
        expect(await nameOf(client)).toBe("alice");
        const reading = client.send(get("/silent"), never()).then(bodyText);
        await eventually(() => silent.length === 2);
        client.update({ ...ca, ...bob });
        expect(await writing).toBe("reset");
        expect(await reading).toBe("bob");
      });

      it("nothing is sent on a connection that was still opening", async () => {
        const client = make(alice);
        const sending = Array.from({ length: 5 }, () => nameOf(client));
        client.update({ ...ca, ...bob });
        expect(await Promise.all(sending)).toEqual(Array(5).fill("bob"));
      });

      it("of the authorities alone, streams continue until the certificate changes too", async () => {
        const client = make(alice);
        const [first, second] = [await openStream(client), await openStream(client)];
        client.update({ ...bothCas, ...alice });
        expect(await nameOf(client)).toBe("alice");
        streams[0]?.end("still here");
        expect(text((await first.next()).value)).toBe("still here");
        expect((await first.next()).done).toBe(true);
        const end = failureOf(second.next());
        client.update({ ...bothCas, ...bob });
        expect(await end).toBe("reset");
      });
    });

    it("resumes the session of its first connection, and none after an update", async () => {
      const { certificatePem: cert, keyPem: key } = clientCertificate(authority, "alice");
      const open: ServerResponse[] = [];
      const resumed: boolean[] = [];
      stage.answer = (request, response) => {
        resumed.push((request.socket as TLSSocket).isSessionReused());
        open.push(response);
        response.writeHead(200);
        response.write(peerName(request) || "nobody");
      };
      const client = make({ serverName: "localhost", cert, key });
      const stream = async (): Promise<string> => {
        const chunks = chunksOf(await client.send(get("/"), never()));
        return text((await chunks.next()).value);
      };
      expect([await stream(), await stream(), await stream()]).toEqual(["alice", "alice", "alice"]);
      client.update({ ca: authority.certificatePem });
      expect(await stream()).toBe("nobody");
      expect(resumed).toEqual([false, true, true, false]);
      for (const response of open) response.destroy();
    });

    it("follows a change of authority", async () => {
      const rotating = await startTestServer(serverCertificate(authority), authority, ok);
      const client = make({ baseUrl: rotating.url });
      expect((await client.send(get("/"), never())).status).toBe(200);
      rotating.setCertificate(serverCertificate(stranger));
      for (const socket of rotating.sockets) socket.destroy();
      await eventually(() => rotating.sockets.size === 0);
      // A pooled connection may not know yet that the server closed it.
      let failure = "reset";
      while (failure === "reset") failure = await failureOf(client.send(get("/"), never()));
      expect(failure).toBe("tls");
      client.update({ ca: authority.certificatePem + stranger.certificatePem });
      expect((await client.send(get("/"), never())).status).toBe(200);
      await rotating.close();
    });
  });
}
