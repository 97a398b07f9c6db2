// The expected number of pods: the sizes of the workloads that control the pods of a budget, each counted once.
// Workloads of built-in kinds are cached; for other kinds the scale subresource is read.
// Upstream: pkg/controller/disruption/disruption.go, getExpectedScale, finders.

import { goQuote } from "#api/go-text.ts";
import type { OwnerReference } from "#api/meta.ts";
import { parseApiVersion } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { StoredObject } from "#api/resource.ts";
import { groupResourceText, isNotFound } from "#api/status-error.ts";
import type { Lister } from "#informers/informer.ts";
import { tolerate } from "#kit/tolerate.ts";
import type { ScaleDeps, StoredPod, Workloads } from "./model.ts";

export interface ExpectedScale {
  readonly expected: number;
  /** Names of the pods without a controller: they are not counted. */
  readonly unmanaged: readonly string[];
}

interface Sized {
  readonly uid: string;
  readonly replicas: number;
}

/** Throws when the controller of a pod cannot be found, or cannot be scaled. */
export async function expectedScale(
  pods: readonly StoredPod[],
  deps: ScaleDeps,
  signal: AbortSignal,
): Promise<ExpectedScale> {
  const unmanaged: string[] = [];
  const sizes = new Map<string, number>();
  for (const pod of pods) {
    const owner = getControllerOf(pod);
    if (owner === undefined) {
      unmanaged.push(pod.metadata.name);
      continue;
    }
    if (sizes.has(owner.uid)) continue;
    const { namespace, name } = pod.metadata;
    const sized = cachedSize(owner, namespace, deps.workloads) ?? (await servedSize(owner, namespace, deps, signal));
    if (sized === undefined) throw new Error(`found no controllers for pod ${goQuote(name)}`);
    sizes.set(sized.uid, sized.replicas);
  }
  return { expected: [...sizes.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

/** In upstream's order: a ReplicaSet that a Deployment controls counts as the Deployment. */
function cachedSize(owner: OwnerReference, namespace: string, workloads: Workloads): Sized | undefined {
  const { replicationControllers, replicaSets, deployments, statefulSets } = workloads;
  if (isOfKind(owner, "ReplicationController", ""))
    return sizeOf(find(owner, namespace, replicationControllers.lister));
  if (isOfKind(owner, "StatefulSet", "apps")) return sizeOf(find(owner, namespace, statefulSets.lister));
  if (!isOfKind(owner, "ReplicaSet", "apps", "extensions")) return undefined;
  const set = find(owner, namespace, replicaSets.lister);
  const controller = set && getControllerOf(set);
  if (controller?.kind !== "Deployment") return sizeOf(set);
  const isDeployment = isOfKind(controller, "Deployment", "apps", "extensions");
  return isDeployment ? sizeOf(find(controller, namespace, deployments.lister)) : undefined;
}

function isOfKind({ apiVersion, kind }: OwnerReference, wanted: string, ...groups: readonly string[]): boolean {
  return kind === wanted && groups.includes(parseApiVersion(apiVersion).group);
}

/** A new workload with the same name is another object. */
function find<T extends StoredObject>({ name, uid }: OwnerReference, namespace: string, lister: Lister<T>) {
  const found = lister.get(`${namespace}/${name}`);
  return found?.metadata.uid === uid ? found : undefined;
}

interface Replicated extends StoredObject {
  readonly spec?: { readonly replicas?: number };
}

function sizeOf(object: Replicated | undefined): Sized | undefined {
  return object && { uid: object.metadata.uid, replicas: object.spec?.replicas ?? 0 };
}

/** Upstream: getScaleController */
async function servedSize(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
  { restMapper, scales }: ScaleDeps,
  signal: AbortSignal,
): Promise<Sized | undefined> {
  const { group, version } = parseApiVersion(apiVersion);
  const resource = await restMapper.mapping({ group, kind }, [version], signal);
  const scale = await tolerate(scales.get(resource, { namespace, name }, signal), isNotFound);
  if (scale !== undefined) return scale.metadata.uid === uid ? sizeOf(scale) : undefined;
  if (await scales.isServed(resource, signal)) return undefined;
  throw new Error(`${groupResourceText(resource)} does not implement the scale subresource`);
}
