// Deletes simulated nodes of an earlier run that this one does not have, with their pods and leases. Otherwise they
// would stay Ready for ever, and pods bound to them would never start.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Node } from "#api/generated/types/core-v1.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Client } from "#client/client.ts";
import { LEASE_NAMESPACE, SIMULATED_OS_IMAGE } from "./node-heartbeats.ts";

/** kept: names of the nodes of this run. The Node is deleted last, so that an interrupted run is repeated. */
export async function removeSurplusNodes(
  client: Client,
  kept: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { items } = await client.resource(Nodes).list({}, signal);
  const surplus = items.filter((node) => isSimulated(node) && !kept.has(node.metadata.name));
  for (const { metadata } of surplus) await removeNode(client, metadata.name, signal);
  return surplus.map(({ metadata }) => metadata.name);
}

function isSimulated({ status }: Node): boolean {
  return status?.nodeInfo?.osImage === SIMULATED_OS_IMAGE;
}

async function removeNode(client: Client, node: string, signal: AbortSignal): Promise<void> {
  const { items } = await client.resource(Pods).list({ fieldSelector: `spec.nodeName=${node}` }, signal);
  for (const { metadata } of items) {
    const { namespace, name, uid } = metadata;
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await ifThere(client.resource(Pods).delete({ namespace, name, options }, signal));
  }
  await ifThere(client.resource(Leases).delete({ namespace: LEASE_NAMESPACE, name: node }, signal));
  await ifThere(client.resource(Nodes).delete({ name: node }, signal));
}

async function ifThere(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
