// The hashes in names and labels, equal to upstream's: after a swap of managers, this one must find the ReplicaSets,
// revisions and slices that the other one created.

import { fnv32, fnv32a, fnv128a, utf8Bytes } from "#api/fnv.ts";
import type {
  EndpointPort as CoreEndpointPort,
  EndpointSubset,
  PodTemplateSpec,
} from "#api/generated/types/core-v1.ts";
import type { EndpointPort } from "#api/generated/types/discovery-v1.ts";
import { dumpForHash } from "#api/go-dump.ts";
import { type GoStruct, goStruct } from "#api/go-layout.ts";
import { goSortedJson } from "#api/go-text.ts";
import { stringifyJson } from "#base/json.ts";

const SAFE_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Replaces each character by one that cannot form a word. Upstream: apimachinery/pkg/util/rand, SafeEncodeString */
export function safeEncode(text: string): string {
  let safe = "";
  for (const char of text) safe += SAFE_LETTERS[(char.codePointAt(0) as number) % SAFE_LETTERS.length];
  return safe;
}

/** The label pod-template-hash. Upstream: pkg/controller/controller_utils.go, ComputeHash */
export function podTemplateHash(template: PodTemplateSpec, collisionCount?: number): string {
  const dump = utf8Bytes(dumpForHash(goStruct("core.v1", "PodTemplateSpec"), template));
  if (collisionCount === undefined) return safeEncode(String(fnv32a(dump)));
  const bytes = new Uint8Array(dump.length + 8);
  bytes.set(dump);
  new DataView(bytes.buffer).setUint32(dump.length, collisionCount, true);
  return safeEncode(String(fnv32a(bytes)));
}

/** `data`: the result of revisionData. Upstream: pkg/controller/history, HashControllerRevision */
export function controllerRevisionHash(data: string, collisionCount?: number): string {
  return safeEncode(String(fnv32(utf8Bytes(data + (collisionCount ?? "")))));
}

/**
 * The patch in a ControllerRevision, as Go marshals it: keys sorted, HTML escaped. Revisions are compared and hashed as
 * this text. Upstream: pkg/controller/statefulset/stateful_set_utils.go and daemon/update.go, getPatch
 */
export function revisionData(owner: "DaemonSet" | "StatefulSet", template: PodTemplateSpec): string {
  const spec = { template: { ...withoutNullCreation(template), $patch: "replace" } };
  // The StatefulSet controller decodes with encoding/json, which, like JSON.parse, rounds integers to doubles.
  return goSortedJson({ spec: owner === "StatefulSet" ? JSON.parse(stringifyJson(spec)) : spec });
}

/** Servers before 1.34 print a null creationTimestamp, which upstream drops when it marshals the template. */
function withoutNullCreation(template: PodTemplateSpec): PodTemplateSpec {
  if (template.metadata?.creationTimestamp !== null) return template;
  const { creationTimestamp, ...metadata } = template.metadata;
  return { ...template, metadata };
}

/** Groups endpoints by their ports; the ports are sorted. Upstream: k8s.io/endpointslice/util, NewPortMapKey */
export function portMapKey(sortedPorts: readonly EndpointPort[]): string {
  const port = goStruct("discovery.v1", "EndpointPort");
  const slice = { kind: "slice", name: `[]${port.name}`, elem: port, isMessage: false } as const;
  return fnv128a(utf8Bytes(dumpForHash(slice, sortedPorts)));
}

/** The order of ports in EndpointSlices. Upstream: k8s.io/endpointslice/util, portsInOrder */
export function sortSlicePorts(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  if (ports.length < 2) return ports;
  const port = goStruct("discovery.v1", "EndpointPort");
  const hashed = ports.map((each) => ({ each, hash: hash128(port, each) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ each }) => each);
}

/** The sort key of the subsets of an Endpoints object. Upstream: pkg/api/v1/endpoints/util.go, SortSubsets */
export function endpointSubsetHash(subset: EndpointSubset): string {
  return hash128(goStruct("core.v1", "EndpointSubset"), subset);
}

/** The sort key of the ports of a subset. */
export function endpointPortHash(port: CoreEndpointPort): string {
  return hash128(goStruct("core.v1", "EndpointPort"), port);
}

/** The suffix of a job's workload. Upstream: pkg/controller/job/job_scheduling_manager.go, computeWorkloadName */
export function uidHash(uid: string): string {
  return safeEncode(String(fnv32a(utf8Bytes(`(types.UID)${uid}`))));
}

function hash128(type: GoStruct, value: unknown): string {
  return fnv128a(utf8Bytes(dumpForHash(type, value)));
}
