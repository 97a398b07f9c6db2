// Checks the requests of a stage against the contracts of the controllers that ran.

import type { ContractHolder, Precondition, SeenRequest } from "#kit/contract.ts";
import { unexercised, violations } from "#kit/contract.ts";
import { knownController } from "#kit/known-controllers.ts";
import { registeredControllers, serviceAccountTokens } from "#manager/registry.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type Cast, casts } from "./casts.ts";
import { identityOf, isFinished, MANAGER_USER } from "./requests.ts";

/** The controllers of a cast, with their contracts. */
function holdersIn(cast: Cast): readonly ContractHolder[] {
  const { controllers } = casts[cast];
  return [...registeredControllers, serviceAccountTokens].filter(({ name }) => controllers.includes(name));
}

export function holderOf(controller: string): ContractHolder | undefined {
  return [...registeredControllers, serviceAccountTokens].find(({ name }) => name === controller);
}

/**
 * Live reads that only a fault causes, so that no play without faults has them. The comments name the tests that have.
 */
const readsAfterFaults: Readonly<Record<string, readonly string[]>> = {
  // After a create without an answer: test/scenarios/outages.test.ts.
  "replicaset-controller": ["list pods"],
  "replicationcontroller-controller": ["list pods"],
  // At the start, for an attachment that is not in the cache: reconcile.test.ts.
  "persistentvolume-attach-detach-controller": ["get volumeattachments.storage.k8s.io"],
};

/**
 * The live reads of the contract that no request made, without those that only a fault causes. This finds a controller
 * that reads its cache instead of the server, even though plays without faults end with the same objects.
 */
export function readsNotNeeded(controller: string, requests: readonly SeenRequest[]): readonly string[] {
  const holder = holderOf(controller);
  if (holder === undefined) return [];
  const contract = { watches: [], reads: holder.contract.reads, writes: [] };
  const excused = readsAfterFaults[controller] ?? [];
  return unexercised({ ...holder, contract }, requests).filter((read) => !excused.includes(read));
}

/** The requests of the cast's controllers that no contract allows. */
export function contractViolations(cast: Cast, events: readonly AuditEvent[]): readonly string[] {
  const holders = holdersIn(cast);
  const identities = new Set(holders.map(({ name }) => knownController(name).identity));
  // On a real control plane Go's manager runs the other controllers, under their own service accounts.
  const isOurs = (event: AuditEvent): boolean =>
    event.user.username === MANAGER_USER || identities.has(identityOf(event) ?? "");
  return violations(holders, events.filter(isOurs).flatMap(seenRequest));
}

/** The request in the terms of a contract. Empty for requests about no resource and for requests of other clients. */
export function seenRequest(event: AuditEvent): readonly SeenRequest[] {
  const identity = identityOf(event);
  const { resource, apiGroup = "", subresource = "" } = event.objectRef ?? {};
  if (identity === undefined || resource === undefined || !isFinished(event)) return [];
  const { preconditions = {} } = (event.requestObject ?? {}) as {
    preconditions?: Partial<Record<Precondition, string>>;
  };
  const given = (["uid", "resourceVersion"] as const).filter((name) => preconditions[name] !== undefined);
  const request = { identity, verb: event.verb, group: apiGroup, resource, subresource };
  return [event.verb === "delete" ? { ...request, preconditions: given } : request];
}
