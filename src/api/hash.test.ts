// Every hash, compared with upstream's (tools/go/vectors-hash).

import { describe, expect, it } from "vitest";
import { fnv32, fnv32a, fnv128a, utf8Bytes } from "#api/fnv.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import {
  controllerRevisionHash,
  endpointPortHash,
  endpointSubsetHash,
  podTemplateHash,
  portMapKey,
  revisionData,
  safeEncode,
  sortSlicePorts,
  uidHash,
} from "#api/hash.ts";
import { parseJson } from "#api/json.ts";
import json from "#test/vectors/hash.json" with { type: "json" };

interface Vectors {
  readonly templates: readonly [
    template: string,
    collisions: number,
    templateHash: string,
    statefulHash: string,
    daemonHash: string,
  ][];
  readonly ports: readonly [string, string][];
  readonly subsets: readonly [string, string][];
  readonly endpointPorts: readonly [string, string][];
  readonly uids: readonly [string, string][];
  readonly texts: readonly string[][];
}

const vectors = json as unknown as Vectors;

/** The rows on which ours differs, with both answers: expected to be none. */
function differences<R extends readonly unknown[]>(
  rows: readonly R[],
  expected: (row: R) => string,
  ours: (row: R) => string,
): unknown[] {
  return rows
    .map((row) => ({ row: String(row[0]).slice(0, 300), expected: expected(row), ours: ours(row) }))
    .filter((result) => result.expected !== result.ours)
    .slice(0, 3);
}

const parseTemplate = (text: string): PodTemplateSpec => parseJson(text) as PodTemplateSpec;

describe("hashes", () => {
  it("workloads/S22 hashes pod templates as upstream does", () => {
    const ours = ([template, collisions]: Vectors["templates"][number]): string =>
      podTemplateHash(parseTemplate(template), collisions < 0 ? undefined : collisions);
    expect(differences(vectors.templates, ([, , hash]) => hash, ours)).toEqual([]);
    expect(vectors.templates.length).toBeGreaterThan(300);
  });

  it("workloads/S23 hashes controller revisions as upstream does", () => {
    const ours =
      (owner: "DaemonSet" | "StatefulSet") =>
      ([template, collisions]: Vectors["templates"][number]): string =>
        controllerRevisionHash(revisionData(owner, parseTemplate(template)), collisions < 0 ? undefined : collisions);
    expect(differences(vectors.templates, ([, , , hash]) => hash, ours("StatefulSet"))).toEqual([]);
    expect(differences(vectors.templates, ([, , , , hash]) => hash, ours("DaemonSet"))).toEqual([]);
  });

  it("workloads/S23 sorts keys that look like numbers as the strings they are", () => {
    const labels = { "9": "b", "10": "a", "-x": "c" };
    expect(revisionData("DaemonSet", { metadata: { labels } })).toContain('"labels":{"-x":"c","10":"a","9":"b"}');
  });

  it("hashes the ports of endpoint slices as upstream does", () => {
    const ours = ([ports]: readonly [string, string]): string => portMapKey(sortSlicePorts(JSON.parse(ports) ?? []));
    expect(differences(vectors.ports, ([, hash]) => hash, ours)).toEqual([]);
  });

  it("hashes the subsets and ports of endpoints as upstream does", () => {
    expect(
      differences(
        vectors.subsets,
        ([, hash]) => hash,
        ([subset]) => endpointSubsetHash(JSON.parse(subset)),
      ),
    ).toEqual([]);
    expect(
      differences(
        vectors.endpointPorts,
        ([, hash]) => hash,
        ([port]) => endpointPortHash(JSON.parse(port)),
      ),
    ).toEqual([]);
  });

  it("hashes UIDs as upstream does", () => {
    expect(
      differences(
        vectors.uids,
        ([, hash]) => hash,
        ([uid]) => uidHash(uid),
      ),
    ).toEqual([]);
  });

  it.each(vectors.texts)("knows the FNV hashes of %j", (text = "", h32, h32a, h128a) => {
    const bytes = utf8Bytes(text);
    expect(fnv32(bytes).toString(16).padStart(8, "0")).toBe(h32);
    expect(fnv32a(bytes).toString(16).padStart(8, "0")).toBe(h32a);
    expect(fnv128a(bytes)).toBe(h128a);
  });

  it("encodes to letters that spell nothing", () => {
    expect(safeEncode("0123456789")).toBe("456789bcdf");
    expect(safeEncode("")).toBe("");
  });
});
