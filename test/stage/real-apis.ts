// Aggregated API groups on a real control plane. One HTTPS server in the test process serves them; the API server's
// aggregator reaches it through a Service of type ExternalName. Plays share a group; the namespace in a request's path
// identifies the play.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { APIServices } from "#api/generated/resources/apiregistration-v1.ts";
import { Services } from "#api/generated/resources/core-v1.ts";
import { isAlreadyExists } from "#api/status-error.ts";
import type { Client } from "#client/client.ts";
import type { AggregatedAnswer, AggregatedApi } from "#sim/aggregated-apis.ts";
import type { ControlPlane } from "#test/real/control-plane.ts";
import { eventually } from "#test/real/suite.ts";

const NAMESPACE = "default";
const SERVICE = "aggregated-apis";

export interface RealApis {
  /**
   * Serves the group to requests about the play. Resolves when the API server has determined whether the group is
   * available.
   */
  serve(tag: string, api: AggregatedApi): Promise<void>;
  /** Stops serving the play. Deletes the group if it is broken or only this play uses it. */
  withdraw(tag: string): Promise<void>;
}

export function realApis(plane: ControlPlane, client: Client): RealApis {
  const { signal } = new AbortController();
  /** By group version, then by tag. */
  const served = new Map<string, Map<string, AggregatedApi>>();
  let started: Promise<number> | undefined;

  const answer = (method: string, url: string): AggregatedAnswer => {
    const { pathname, searchParams: query } = new URL(url, "https://aggregated");
    const [, , group = "", version = "", ...rest] = pathname.split("/");
    const plays = served.get(`${group}/${version}`) ?? new Map<string, AggregatedApi>();
    // A 404 means no aggregated discovery, so the aggregator asks for each version. After another error it would give
    // up.
    if (group === "") return { status: 404, body: {} };
    const path = rest.join("/");
    const api = [...plays].find(([tag]) => url.includes(tag))?.[1] ?? [...plays.values()].at(-1);
    if (api?.resources === undefined) return { status: 503, body: {} };
    const { groupVersion, resources } = api;
    if (path === "") return { body: { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources } };
    return api.answer?.({ method, path, query }) ?? { status: 404, body: {} };
  };

  const start = async (): Promise<number> => {
    const { certificatePem: cert, keyPem: key } = plane.pki.serving;
    const server = createServer({ cert, key }, (request, response) => {
      const { status = 200, body } = answer(request.method ?? "GET", request.url ?? "/");
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    const { port } = server.address() as AddressInfo;
    const spec = { type: "ExternalName", externalName: "localhost", ports: [{ port }] };
    await client
      .resource(Services)
      .create({ namespace: NAMESPACE, object: { metadata: { name: SERVICE }, spec } }, signal);
    return port;
  };

  return {
    async serve(tag, api) {
      started ??= start();
      const port = await started;
      const { groupVersion } = api;
      const plays = served.get(groupVersion) ?? new Map<string, AggregatedApi>();
      served.set(groupVersion, plays.set(tag, api));
      const [group = "", version = ""] = groupVersion.split("/");
      const name = `${version}.${group}`;
      const service = { namespace: NAMESPACE, name: SERVICE, port };
      const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
      const spec = { group, version, service, insecureSkipTLSVerify: true, ...priorities };
      await client
        .resource(APIServices)
        .create({ object: { metadata: { name }, spec } }, signal)
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      const wanted = api.resources === undefined ? "False" : "True";
      await eventually(async () => {
        const { status } = await client.resource(APIServices).get({ name }, signal);
        return status?.conditions?.some((found) => found.type === "Available" && found.status === wanted) || undefined;
      });
    },
    async withdraw(tag) {
      for (const [groupVersion, plays] of served) {
        const api = plays.get(tag);
        plays.delete(tag);
        const [group, version] = groupVersion.split("/");
        const isGone = api !== undefined && (api.resources === undefined || groupVersion.includes(tag));
        if (isGone) await client.resource(APIServices).delete({ name: `${version}.${group}` }, signal);
      }
    },
  };
}
