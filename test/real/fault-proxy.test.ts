// Each fault of the proxy, as a client sees it.

import type { IncomingMessage } from "node:http";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type ControlPlane, sharedControlPlane } from "./control-plane.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { callHttps, type HttpsAnswer, openHttps } from "./https.ts";
import { describeReal, eventually } from "./suite.ts";

const namespace = "faults";
const path = `/api/v1/namespaces/${namespace}/configmaps`;

describeReal("the fault proxy", () => {
  let control: ControlPlane;
  let proxy: FaultProxy;
  let names = 0;

  const call = (method = "GET", target = path, body?: unknown): Promise<HttpsAnswer> =>
    callHttps({
      url: proxy.server + target,
      method,
      body,
      caPem: control.pki.ca.certificatePem,
      client: control.admin,
    });
  const create = async (): Promise<string> => {
    const name = `c${++names}`;
    expect((await control.request("POST", path, { metadata: { name } })).status).toBe(201);
    return name;
  };
  const namesIn = (text: string): string[] =>
    (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== "kube-root-ca.crt");
  const openWatch = async () => {
    const list = JSON.parse((await control.request("GET", path)).text) as { metadata: { resourceVersion: string } };
    const url = `${proxy.server}${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
    const caPem = control.pki.ca.certificatePem;
    return readInto(await openHttps({ url, caPem, client: control.admin }));
  };

  beforeAll(async () => {
    control = await sharedControlPlane();
    await control.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  });
  beforeEach(async () => {
    proxy = await control.startFaultProxy();
  });
  afterEach(async () => {
    await control.request("DELETE", path);
    proxy.close();
  });

  it("passes requests on as the user of the certificate, or of the token", async () => {
    const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    expect(JSON.parse((await call("POST", reviews, {})).text).status.userInfo).toMatchObject({
      username: "test-admin",
      groups: ["system:masters", "system:authenticated"],
    });
    const headers = {
      authorization: `Bearer ${await control.tokenFor("default", "nobody")}`,
      "x-remote-user": "test-admin",
    };
    const caPem = control.pki.ca.certificatePem;
    const answer = await callHttps({ url: proxy.server + reviews, method: "POST", body: {}, headers, caPem });
    expect(JSON.parse(answer.text).status.userInfo.username).toBe("system:serviceaccount:default:nobody");
  });

  it("answers 429 and 5xx for as many requests as asked", async () => {
    const tooMany = proxy.inject({ path }, { kind: "status", status: 429, retryAfterSeconds: 7 }, 2);
    const answer = await call();
    expect(answer.status).toBe(429);
    expect(answer.headers["retry-after"]).toBe("7");
    expect(JSON.parse(answer.text)).toMatchObject({ kind: "Status", reason: "TooManyRequests", code: 429 });
    expect((await call()).status).toBe(429);
    expect((await call()).status).toBe(200);
    expect(tooMany.hits).toBe(2);
    proxy.inject({ method: "POST" }, { kind: "status", status: 503 });
    expect((await call("POST", path, {})).status).toBe(503);
    expect((await call()).status).toBe(200);
  });

  it("refuses before the server sees the request, or loses the reply after it acted", async () => {
    proxy.inject({ method: "POST" }, { kind: "refuse" }, 1);
    await expect(call("POST", path, { metadata: { name: "refused" } })).rejects.toThrow();
    expect((await control.request("GET", `${path}/refused`)).status).toBe(404);
    proxy.inject({ method: "POST" }, { kind: "reset" }, 1);
    await expect(call("POST", path, { metadata: { name: "lost" } })).rejects.toThrow();
    expect((await control.request("GET", `${path}/lost`)).status).toBe(200);
  });

  it("delays", async () => {
    let isAnswered = false;
    const delayed = proxy.inject({ path }, { kind: "delay", ms: 300 });
    const started = performance.now();
    const answer = call().finally(() => {
      isAnswered = true;
    });
    await eventually(() => (delayed.hits === 1 ? true : undefined));
    expect(isAnswered).toBe(false);
    expect((await answer).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(290);
  });

  it.each(["cut", "reset"] as const)("%ss a watch in the middle of a line", async (kind) => {
    proxy.inject({ isWatch: true }, { kind, afterLines: 1 }, 1);
    const watch = await openWatch();
    await create();
    await eventually(() => (watch.lines().length === 2 ? true : undefined));
    expect(watch.isOpen).toBe(true);
    await create();
    expect(await watch.end).toBeInstanceOf(Error);
    expect(() => JSON.parse(watch.lines()[0] ?? "")).not.toThrow();
    expect(watch.lines()[1]).toMatch(/^\{"type":"ADDED"/);
    expect(() => JSON.parse(watch.lines()[1] ?? "")).toThrow();
  });

  it("stalls a watch until the fault is removed, and loses nothing", async () => {
    const stall = proxy.inject({ isWatch: true }, { kind: "stall", afterLines: 1 });
    const watch = await openWatch();
    const created = [await create(), await create(), await create()];
    await eventually(() => (watch.lines()[1]?.startsWith('{"type"') ? true : undefined));
    await call();
    expect(watch.lines().length).toBe(2);
    stall.remove();
    await eventually(() => (watch.lines().length === 4 ? true : undefined));
    const seen = watch
      .lines()
      .slice(0, 3)
      .map((line) => JSON.parse(line).object.metadata.name);
    expect(seen).toEqual(created);
    watch.close();
  });

  it.each(["cut", "reset"] as const)("strikes watches that are open: %s", async (kind) => {
    const watch = await openWatch();
    await create();
    await eventually(() => (watch.lines().length === 2 ? true : undefined));
    expect(proxy.strike({ isWatch: true }, kind)).toBe(1);
    expect(await watch.end).toBeInstanceOf(Error);
    expect(proxy.strike({ isWatch: true }, kind)).toBe(0);
  });

  it("ends the server's side when the client leaves", async () => {
    const mark = control.audit.mark();
    (await openWatch()).close();
    const ended = await eventually(() =>
      control.audit.since(mark).find(({ verb, stage }) => verb === "watch" && stage === "ResponseComplete"),
    );
    expect(ended.requestURI.startsWith(path)).toBe(true);
  });

  it("replays an old list", async () => {
    const memory = proxy.remember({ path });
    const first = await create();
    expect(namesIn((await call()).text)).toEqual([first]);
    const second = await create();
    const replay = proxy.inject({ path }, { kind: "replay", memory }, 1);
    expect(namesIn((await call("GET", `${path}?resourceVersion=0&limit=500`)).text)).toEqual([first]);
    expect(replay.hits).toBe(1);
    expect(namesIn((await call()).text)).toEqual([first, second]);
  });

  it("goes down and comes up with another certificate", async () => {
    await proxy.down();
    await expect(call()).rejects.toThrow();
    await proxy.up(control.pki.clientCertificate("not-a-server"));
    await expect(call()).rejects.toThrow();
    await proxy.down();
    await proxy.up();
    expect((await call()).status).toBe(200);
  });
});

/** Reads a watch in the background. `end` is the error with which it ended, if any. */
function readInto(message: IncomingMessage) {
  let text = "";
  let isOpen = true;
  const end = (async (): Promise<unknown> => {
    try {
      for await (const chunk of message) text += chunk;
      return undefined;
    } catch (error) {
      return error;
    } finally {
      isOpen = false;
    }
  })();
  return {
    end,
    get isOpen() {
      return isOpen;
    },
    /** The last element is the text after the last line end. */
    lines: () => text.split("\n"),
    close: () => void message.destroy(),
  };
}
