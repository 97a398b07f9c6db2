// Deletes the content of a namespace, pods first, and reports the progress in its conditions.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, deleteAllContent.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { resourceText } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import type { Discovery } from "#client/discovery.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { type Findings, withDeletionConditions } from "./conditions.ts";
import type { NamespaceApi, StoredNamespace } from "./namespace-api.ts";
import { deleteContentOf, type Outcome, type ResourceDeps } from "./resource-content.ts";
import { deletableResources, discover } from "./resources.ts";

export interface ContentDeps extends ResourceDeps {
  readonly discovery: Discovery;
  readonly api: NamespaceApi;
}

const PODS = resourceText(Pods);

/** The estimated seconds for the remaining content; 0: nothing remains. Tries everything, then throws the errors. */
export async function deleteAllContent(
  namespace: StoredNamespace,
  deletedAt: string,
  deps: ContentDeps,
  signal: AbortSignal,
): Promise<number> {
  const { name } = namespace.metadata;
  const errors: unknown[] = [];
  const { lists, error: discoveryError } = await discover(deps.discovery, signal);
  if (discoveryError !== undefined) errors.push(discoveryError);
  let resources: readonly Resource[] = [];
  let parsingError: unknown;
  try {
    resources = deletableResources(lists);
  } catch (error) {
    parsingError = error;
    errors.push(error);
  }

  const outcomes: Outcome[] = [];
  const empty = async (resource: Resource): Promise<Outcome> => {
    const outcome = await deleteContentOf({ resource, namespace: name, deletedAt }, deps, signal);
    outcomes.push(outcome);
    return outcome;
  };
  const finish = async (totals: Findings["remaining"]): Promise<number> => {
    const deletionErrors = outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]));
    await writeConditions(namespace, { discoveryError, parsingError, deletionErrors, remaining: totals }, deps, signal);
    if (errors.length > 0) throw aggregate(errors);
    return Math.max(0, ...outcomes.map(({ estimateSeconds }) => estimateSeconds));
  };

  // Running pods may need other content of the namespace, such as network policies.
  const pods = resources.find((resource) => resourceText(resource) === PODS);
  if (pods !== undefined) {
    const { error, count } = await empty(pods);
    if (error !== undefined) {
      const text = `failed to delete pods for namespace: ${name}, err: ${errorMessage(error)}`;
      errors.push(new Error(text, { cause: error }));
    }
    // The conditions do not report the remaining content until everything was tried.
    if (count > 0) return await finish([]);
  }
  for (const resource of resources) {
    if (resource === pods) continue;
    const { error } = await empty(resource);
    if (error !== undefined) errors.push(error);
  }
  return await finish(outcomes);
}

/** A refused write is not repeated: the next sync writes the then current state. */
async function writeConditions(
  namespace: StoredNamespace,
  findings: Findings,
  { api, clock, log }: ContentDeps,
  signal: AbortSignal,
): Promise<void> {
  const before = namespace.status?.conditions ?? [];
  const conditions = withDeletionConditions(before, findings, clock.now());
  if (conditions === before) return;
  try {
    await api.updateStatus(namespace, { ...namespace.status, conditions }, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error(error, "Couldn't update status condition for namespace", { namespace: namespace.metadata.name });
  }
}
