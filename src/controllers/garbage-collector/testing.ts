// For tests only: an API server with scripted answers, in the order of the expected requests.

import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectMeta, Status } from "#api/meta.ts";
import { resourceHandle } from "#api/resource.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { createClient } from "#client/create-client.ts";
import { NoKindMatch, type RestMapper } from "#client/rest-mapper.ts";
import { jsonResponse, type ScriptedTransport, scriptedTransport } from "#client/testing.ts";
import type { GraphNode } from "./graph-node.ts";
import type { Identity } from "./identity.ts";
import { ObjectApi } from "./object-api.ts";

export type Answer = { readonly metadata: ObjectMeta } | { readonly code: number; readonly reason: string };

export const NOT_FOUND: Answer = { code: 404, reason: "NotFound" };
export const CONFLICT: Answer = { code: 409, reason: "Conflict" };
export const UNSUPPORTED: Answer = { code: 415, reason: "UnsupportedMediaType" };

export interface ApiStage {
  readonly clock: VirtualClock;
  readonly objects: ObjectApi;
  /** "DELETE pods a/web {body}", oldest first. */
  requests(): readonly string[];
}

const kinds = [Pods, Nodes];

const restMapper: Pick<RestMapper, "mapping"> = {
  async mapping(wanted, versions) {
    const known = kinds.find(({ group, kind }) => group === wanted.group && kind === wanted.kind);
    if (known === undefined) throw new NoKindMatch(wanted, versions);
    return resourceHandle(known);
  },
};

export function stageApi(answers: readonly Answer[], cached: Readonly<Record<string, ObjectMeta>> = {}): ApiStage {
  const clock = testClock();
  const transport: ScriptedTransport = scriptedTransport(
    ...answers.map((answer) => () => {
      if ("metadata" in answer) {
        return jsonResponse({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", ...answer });
      }
      const status: Status = { kind: "Status", status: "Failure", message: answer.reason, ...answer };
      return jsonResponse(status, answer.code);
    }),
    () => {
      throw new Error("one request too many");
    },
  );
  const objects = new ObjectApi({
    clock,
    rng: seededRng("object-api"),
    client: createClient({ transport, clock, userAgent: "test" }),
    restMapper: restMapper as RestMapper,
    cached: (_, key) => cached[key],
  });
  return {
    clock,
    objects,
    requests: () =>
      transport.requests.map(({ method, path, body }) => {
        const text = body?.kind === "bytes" ? ` ${new TextDecoder().decode(body.bytes)}` : "";
        return `${method} ${path.replace(/^\/api\/v1\//, "").replace("namespaces/", "")}${text}`;
      }),
  };
}

export function identity(name: string, parts: Partial<Identity> = {}): Identity {
  return { apiVersion: "v1", kind: "Pod", namespace: "a", name, uid: `uid-${name}`, ...parts };
}

export function node(name: string, parts: Partial<GraphNode> = {}): GraphNode {
  return {
    identity: identity(name),
    dependents: new Set(),
    owners: [],
    isBeingDeleted: false,
    isDeletingDependents: false,
    isVirtual: false,
    ...parts,
  };
}
