// Manifests: files with objects in YAML or JSON, parsed and applied to a cluster in order.

import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { decodeYaml } from "#api/yaml.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage, isAborted } from "#base/errors.ts";
import { pollUntil } from "#base/wait.ts";
import type { Client } from "#client/client.ts";
import { createDiscovery } from "#client/discovery.ts";
import { cachedDiscovery } from "#client/discovery-cache.ts";
import { createRestMapper, type RestMapper } from "#client/rest-mapper.ts";

const ESTABLISHED_MS_MAX = 10_000;
const LOOK_MS = 50;

export interface Manifest {
  /** "app.yaml, document 2 (Deployment default/web)". */
  readonly title: string;
  readonly object: KubeObject;
}

/** Manifests that cannot be parsed or applied; the message has a line for each. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** The objects of a file. A document of kind List is replaced by its items. */
export function readManifests(file: string, text: string): readonly Manifest[] {
  return readDocuments(file, text, (value, place) =>
    objectsIn(value).map((object) => ({ title: `${place} (${describe(object)})`, object })),
  );
}

/** Parses each document of a file. Errors name the file and document. */
export function readDocuments<T>(
  file: string,
  text: string,
  read: (value: unknown, place: string) => readonly T[],
): readonly T[] {
  const problems: string[] = [];
  const results = documentsOf(text).flatMap(({ document, line }, index) => {
    const place = `${file}, document ${index + 1}`;
    try {
      const { value, duplicates } = decodeYaml(document, "double", line);
      if (value === null) return [];
      const [duplicate] = duplicates;
      if (duplicate !== undefined) throw new Error(duplicate);
      return read(value, place);
    } catch (error) {
      problems.push(
        error instanceof ManifestError ? error.message : `${place}: ${errorMessage(error).replace(/:$/, "")}`,
      );
      return [];
    }
  });
  if (problems.length > 0) throw new ManifestError(problems);
  return results;
}

interface Document {
  readonly document: string;
  /** Counted from 0. */
  readonly line: number;
}

function documentsOf(text: string): readonly Document[] {
  const documents: Document[] = [];
  let begin = 0;
  const lines = text.split("\n");
  const end = (line: number): void => {
    const document = lines.slice(begin, line).join("\n");
    if (/^[^#\s]/m.test(document.replaceAll(/^\s*#.*$/gm, ""))) documents.push({ document, line: begin });
    begin = line + 1;
  };
  lines.forEach((line, index) => {
    if (/^---(\s|$)/.test(line)) end(index);
  });
  end(lines.length);
  return documents;
}

function objectsIn(value: unknown): readonly KubeObject[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it is not an object");
  const { apiVersion, kind, items, metadata } = value as Record<string, unknown>;
  if (typeof apiVersion !== "string" || apiVersion === "") throw new Error("apiVersion is missing");
  if (typeof kind !== "string" || kind === "") throw new Error("kind is missing");
  if (kind.endsWith("List") && Array.isArray(items)) return items.flatMap(objectsIn);
  if (typeof (metadata as { name?: unknown } | undefined)?.name !== "string")
    throw new Error("metadata.name is missing");
  return [value as KubeObject];
}

function describe({ kind, metadata }: KubeObject): string {
  const { namespace, name } = metadata ?? {};
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

export interface ApplyDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly fieldManager: string;
}

/** Applies each manifest server-side, even if an earlier one failed. Waits for a definition before its objects. */
export async function applyManifests(
  manifests: readonly Manifest[],
  deps: ApplyDeps,
  signal: AbortSignal,
): Promise<void> {
  const mapper = createRestMapper(cachedDiscovery(createDiscovery(deps.client)));
  const problems: string[] = [];
  for (const { title, object } of manifests) {
    try {
      await apply(object, mapper, deps, signal);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      problems.push(`${title}: ${errorMessage(error)}`);
    }
  }
  if (problems.length > 0) throw new ManifestError(problems);
}

async function apply(
  object: KubeObject,
  mapper: RestMapper,
  { client, clock, fieldManager }: ApplyDeps,
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion = "", kind = "", metadata } = object;
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const resource = await mapper.mapping({ group, kind }, [version], signal);
  const name = metadata?.name ?? "";
  const place = resource.scope === "Namespaced" ? { namespace: metadata?.namespace ?? "default" } : {};
  await client.resource(resource).apply({ ...place, name, object, fieldManager, force: true }, signal);
  if (kind !== CustomResourceDefinitions.kind || group !== CustomResourceDefinitions.group) return;
  const isEstablished = async (): Promise<boolean> => {
    const { status } = await client.resource(CustomResourceDefinitions).get({ name }, signal);
    return (
      status?.conditions?.some((condition) => condition.type === "Established" && condition.status === "True") ?? false
    );
  };
  const deadline = clock.deadline(ESTABLISHED_MS_MAX, signal);
  await pollUntil(isEstablished, { intervalMs: LOOK_MS, isImmediate: true, clock }, deadline);
  mapper.reset();
}
