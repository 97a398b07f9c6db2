// Connecting with the sockets of every runtime.
import { describe, expect, it } from "vitest";
import { Aborted } from "#base/errors.ts";
import { countListeners } from "#base/testing.ts";
import {
  eventually,
  never,
  newAuthority,
  serverCertificate,
  startRawServer,
  startTestServer,
} from "./http-client.testing.ts";
import { type Dial, type DialLimits, dialLimits, type SocketOwner, type SocketTarget } from "./socket.ts";
import { bunDialer } from "./socket-bun.ts";
import { nodeDialer } from "./socket-node.ts";

const dialers: Record<string, (target: SocketTarget, limits?: DialLimits) => Dial> = { node: nodeDialer };
if (process.versions.bun !== undefined) dialers.bun = bunDialer;

const host = "127.0.0.1";
const authority = newAuthority("authority");
const tls = { ca: authority.certificatePem, name: host, isVerified: true };
const owner: SocketOwner = { onData: () => undefined, onDrain: () => undefined, onClose: () => undefined };

describe.each(Object.entries(dialers))("sockets of %s", (_, dialer) => {
  it("give up on a server that does not answer the handshake", async () => {
    const silent = await startRawServer(() => undefined);
    const dial = dialer({ host, port: silent.port, tls }, { ...dialLimits, handshakeMs: 30 });
    await expect(dial(owner, never())).rejects.toMatchObject({ message: "TLS handshake timeout", code: "ETIMEDOUT" });
    await eventually(() => silent.sockets.size === 0);
    await silent.close();
  });

  it("close the connection in the middle of the handshake when aborted", async () => {
    const silent = await startRawServer(() => undefined);
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const reason = new Aborted("stop");
    const dialing = dialer({ host, port: silent.port, tls })(owner, controller.signal);
    dialing.catch(() => undefined);
    await eventually(() => silent.received.length === 1 && silent.received[0] !== "");
    controller.abort(reason);
    await expect(dialing).rejects.toBe(reason);
    await eventually(() => silent.sockets.size === 0);
    expect(listeners()).toBe(0);
    await silent.close();
  });

  it("do not connect for a signal that is aborted before", async () => {
    const silent = await startRawServer(() => undefined);
    const controller = new AbortController();
    const dialing = dialer({ host, port: silent.port })(owner, controller.signal);
    controller.abort(new Aborted("stop"));
    await expect(dialing).rejects.toThrow("stop");
    await eventually(() => silent.sockets.size === 0);
    await silent.close();
  });

  it("report a certificate and a key that do not match", async () => {
    const server = await startTestServer(serverCertificate(authority), authority, () => undefined);
    const pair = { cert: authority.certificatePem, key: newAuthority("other").keyPem };
    const dialing = dialer({ host, port: server.port, tls: { ...tls, ...pair } })(owner, never());
    await expect(dialing).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_OSSL/) });
    await server.close();
  });

  it("check an IP address against the certificate when the expected name is one", async () => {
    const certificate = serverCertificate(authority, { dnsNames: [], ipAddresses: ["10.1.2.3"] });
    const server = await startTestServer(certificate, authority, () => undefined);
    const target = { host, port: server.port };
    (await dialer({ ...target, tls: { ...tls, name: "10.1.2.3" } })(owner, never())).destroy();
    const wrong = dialer({ ...target, tls: { ...tls, name: "10.1.2.4" } })(owner, never());
    await expect(wrong).rejects.toThrow("x509: certificate is valid for 10.1.2.3, not 10.1.2.4");
    await server.close();
  });

  it("try all addresses of a host", async () => {
    const server = await startTestServer(serverCertificate(authority), authority, () => undefined);
    const target = { host: "localhost", port: server.port, tls: { ...tls, name: "localhost" } };
    (await dialer(target)(owner, never())).destroy();
    await server.close();
  });

  it("negotiate HTTP/1.1 with a server that prefers another protocol", async () => {
    const server = await startRawServer(() => undefined);
    const dialing = dialer({ host, port: server.port, tls: { ...tls, name: "api.example" } })(owner, never());
    dialing.catch(() => undefined);
    await eventually(() => server.received.length === 1 && server.received[0] !== "");
    // The TLS ClientHello contains the protocols and the server name.
    expect(server.received[0]).toContain("\x08http/1.1");
    expect(server.received[0]).not.toContain("\x02h2");
    expect(server.received[0]).toContain("api.example");
    await server.close();
    await expect(dialing).rejects.toThrow();
  });
});
