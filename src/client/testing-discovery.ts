// For tests only: a server's discovery documents, in the aggregated and the legacy form.

import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { createDiscovery, type Discovery } from "#client/discovery.ts";
import { jsonResponse, scriptedTransport, textResponse } from "#client/testing.ts";

export const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** A path's document, or the statuses of its answers, one per request; the last one repeats. */
export type Answers = Record<string, object | readonly number[]>;

export interface DiscoveryStage {
  readonly discovery: Discovery;
  readonly answers: Answers;
  /** The number of requests per path. */
  readonly asked: ReadonlyMap<string, number>;
}

export function stageDiscovery(answers: Answers, aggregatedType: string = AGGREGATED): DiscoveryStage {
  const asked = new Map<string, number>();
  const transport = scriptedTransport(({ path }: HttpRequest): HttpResponse => {
    const count = asked.get(path) ?? 0;
    asked.set(path, count + 1);
    const answer = answers[path];
    if (answer === undefined) return textResponse("", 404);
    if (Array.isArray(answer)) return textResponse("", answer[Math.min(count, answer.length - 1)] ?? 500);
    return jsonResponse(answer, 200, "items" in answer ? { "content-type": aggregatedType } : {});
  });
  const discovery = createDiscovery(createClient({ transport, clock: testClock(), userAgent: "test" }));
  return { discovery, answers, asked };
}

export type Resource =
  | string
  | { name: string; scope?: "Cluster"; kind?: object | null; subresources?: readonly object[] };
export type Version = { version: string; resources: readonly Resource[]; isStale?: boolean };

export const document = (groups: Readonly<Record<string, readonly Version[]>>): object => ({
  items: Object.entries(groups).map(([name, versions]) => ({
    metadata: { name },
    versions: versions.map(({ version, resources, isStale = false }) => ({
      version,
      freshness: isStale ? "Stale" : "Current",
      resources: resources.map((resource) => {
        const given = typeof resource === "string" ? { name: resource } : resource;
        return {
          resource: given.name,
          responseKind:
            given.kind === undefined ? { group: name, version, kind: given.name.toUpperCase() } : given.kind,
          scope: given.scope ?? "Namespaced",
          verbs: [],
          subresources: given.subresources ?? [],
        };
      }),
    })),
  })),
});
export const core = (...resources: Resource[]): object => document({ "": [{ version: "v1", resources }] });
export const legacyGroups = (groups: Readonly<Record<string, readonly string[]>>, preferred?: string): object => ({
  groups: Object.entries(groups).map(([name, versions]) => ({
    name,
    versions: versions.map((version) => ({ groupVersion: `${name}/${version}`, version })),
    preferredVersion: { version: preferred ?? versions[0] },
  })),
});
export const legacyList = (...resources: Resource[]): object => ({
  resources: resources.map((resource) => {
    const { name, scope } = typeof resource === "string" ? { name: resource } : resource;
    return { name, kind: name.toUpperCase(), namespaced: scope === undefined, verbs: [] };
  }),
});
/** "apps/v1 deployments" */
export const flat = (lists: readonly { groupVersion: string; resources: readonly { name: string }[] }[]): string[] =>
  lists.flatMap(({ groupVersion, resources }) => resources.map(({ name }) => `${groupVersion} ${name}`));
