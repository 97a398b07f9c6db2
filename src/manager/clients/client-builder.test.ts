import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { HttpRequest } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { jsonResponse, type Responder, scriptedTransport } from "#client/testing.ts";
import type { ClientNeeds } from "#kit/controller.ts";
import { createClientBuilders } from "./builders.ts";
import { type BuilderOptions, rootClientBuilder } from "./client-builder.ts";

const NOT_FOUND = jsonResponse({ kind: "Status", code: 404, reason: "NotFound" }, 404);
const signal = neverAborted();

function options(limits = { qps: -1, burst: 0 }): BuilderOptions & { clock: ReturnType<typeof testClock> } {
  return {
    clock: testClock(),
    limits,
    userAgentPrefix: "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/abc",
  };
}

describe("the root builder", () => {
  it("machinery/4.1.1, core/1 gives everybody the same credentials and a name of their own", async () => {
    const transport = scriptedTransport(() => jsonResponse({}));
    const { rootClients, controllerClients } = await createClientBuilders(transport, undefined, options(), signal);
    expect(controllerClients).toBe(rootClients);
    for (const name of ["shared-informers", "tokens-controller"]) {
      await (await rootClients.client(name, {}, signal)).resource(Pods).get({ namespace: "a", name: "b" }, signal);
    }
    expect(transport.requests.map(({ headers }) => headers["user-agent"])).toEqual([
      "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/abc/shared-informers",
      "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/abc/tokens-controller",
    ]);
  });

  /** How many requests pass at once, and within the following second. */
  async function through(needs: ClientNeeds, limits = { qps: 20, burst: 30 }): Promise<readonly [number, number]> {
    const all = options(limits);
    const transport = scriptedTransport(() => jsonResponse({}));
    const client = await rootClientBuilder(transport, all).client("x", needs, signal);
    for (let i = 0; i < 5000; i++) void client.resource(Pods).get({ namespace: "a", name: "b" }, signal);
    await all.clock.settle();
    const atOnce = transport.requests.length;
    await all.clock.advance(1_000);
    return [atOnce, transport.requests.length - atOnce];
  }

  it.each([
    [{}, [30, 20]],
    [{ qpsFactor: 20, burstFactor: 100 }, [3000, 400]],
    [{ qpsFactor: 2 }, [30, 40]],
    [{ isDiscovery: true }, [200, 20]],
  ] as const)("machinery/4.1.5 lets %j through: at once and per second %j", async (needs, wanted) => {
    expect(await through(needs)).toEqual(wanted);
  });

  it("machinery/4.1.5 limits each client by itself, not at all below 0, and refuses a rate without a burst", async () => {
    expect(await through({}, { qps: -1, burst: 0 })).toEqual([5000, 0]);
    await expect(through({}, { qps: 1, burst: 0 })).rejects.toThrow("burst is required to be greater than 0");
  });

  it("machinery/4.1.9 lets discovery wait 32 s, and others for ever", async () => {
    const all = options();
    const silent: Responder = (_, given) =>
      new Promise((_resolve, reject) => given.addEventListener("abort", () => reject(given.reason), { once: true }));
    const builder = rootClientBuilder(scriptedTransport(silent), all);
    const outcomes: string[] = [];
    for (const needs of [{ isDiscovery: true }, {}]) {
      const client = await builder.client("x", needs, signal);
      void client.raw({ method: "GET", path: "/apis" }, signal).catch((error: Error) => outcomes.push(error.name));
    }
    await all.clock.advance(31_999);
    expect(outcomes).toEqual([]);
    await all.clock.advance(600_000);
    expect(outcomes).toEqual(["DeadlineExceeded"]);
  });
});

describe("the builder of service accounts' clients", () => {
  /** A server with only these accounts and namespaces; the log has verbs and paths. */
  function server(...known: string[]) {
    const paths = new Set(known);
    const log: string[] = [];
    const answer = ({ method, path, headers }: HttpRequest) => {
      log.push(`${method} ${path}${headers.authorization ? ` as ${String(headers.authorization)}` : ""}`);
      if (path.endsWith("/token")) {
        return jsonResponse(
          { status: { token: `token-${log.length}`, expirationTimestamp: "2026-01-01T01:00:00Z" } },
          201,
        );
      }
      if (method === "POST") return jsonResponse({}, 201);
      return paths.has(path) || path.includes("/pods/") ? jsonResponse({}) : NOT_FOUND;
    };
    return { log, transport: scriptedTransport(answer) };
  }
  const account = "/api/v1/namespaces/kube-system/serviceaccounts/job-controller";

  it("machinery/4.1.2, core/1 finds the account, or makes it and its namespace, before the client is used", async () => {
    const known = server(account);
    const some = await createClientBuilders(known.transport, known.transport, options(), signal);
    await some.controllerClients.client("job-controller", {}, signal);
    expect(known.log).toEqual([`GET ${account}`]);

    const empty = server();
    const none = await createClientBuilders(empty.transport, empty.transport, options(), signal);
    await none.controllerClients.client("job-controller", {}, signal);
    expect(empty.log).toEqual([
      `GET ${account}`,
      "GET /api/v1/namespaces/kube-system",
      "POST /api/v1/namespaces",
      "POST /api/v1/namespaces/kube-system/serviceaccounts",
    ]);
  });

  it("creates an account that several controllers share once", async () => {
    const { log, transport } = server("/api/v1/namespaces/kube-system");
    const { controllerClients } = await createClientBuilders(transport, transport, options(), signal);
    await Promise.all([1, 2].map(() => controllerClients.client("job-controller", {}, signal)));
    const [, , created, next] = log;
    expect([created, next]).toEqual(["POST /api/v1/namespaces/kube-system/serviceaccounts", `GET ${account}`]);
  });

  it("machinery/4.1.2, machinery/4.1.3, core/1 asks for a token at the first request, and shares it among the account's clients", async () => {
    const { log, transport } = server(account);
    const { controllerClients } = await createClientBuilders(transport, transport, options(), signal);
    for (let i = 0; i < 2; i++) {
      const client = await controllerClients.client("job-controller", {}, signal);
      await client.resource(Pods).get({ namespace: "a", name: "b" }, signal);
    }
    const asked = log.filter((line) => line.startsWith("POST"));
    expect(asked).toEqual([`POST ${account}/token`]);
    const used = log.filter((line) => line.includes("/pods/b"));
    expect(used).toHaveLength(2);
    expect(new Set(used).size).toBe(1);
    expect(used[0]).toMatch(/ as Bearer token-\d+$/);
    expect(transport.requests.at(-1)?.headers["user-agent"]).toMatch(
      /\/system:serviceaccount:kube-system:job-controller$/,
    );
  });
});
