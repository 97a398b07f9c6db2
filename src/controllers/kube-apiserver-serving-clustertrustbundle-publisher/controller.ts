/**
 * Publishes the serving CA of API servers as a ClusterTrustBundle, so that pods can mount it.
 *
 * Keeps true:  the signer kubernetes.io/kube-apiserver-serving has exactly one ClusterTrustBundle, named after the CA
 *              bundle and with that bundle in it.
 * Requeues:    never; failures are retried with back-off.
 * Deviations:  none.
 * Upstream:    pkg/controller/certificates/clustertrustbundlepublisher.
 */

import * as alpha from "#api/generated/resources/certificates-v1alpha1.ts";
import * as beta from "#api/generated/resources/certificates-v1beta1.ts";
import type { Resource } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Client } from "#client/client.ts";
import { createDiscovery } from "#client/discovery.ts";
import { create, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { controllerParts } from "#kit/controller-parts.ts";
import { bundleName } from "./bundle-name.ts";
import { registerPublisherMetrics } from "./metrics.ts";
import { publishBundle, type StoredBundle } from "./sync.ts";

const NAME = "kube-apiserver-serving-clustertrustbundle-publisher-controller";
const SIGNER_NAME = "kubernetes.io/kube-apiserver-serving";
/** A single key: all bundles of the signer are synced together. */
const KEY = SIGNER_NAME;

export interface TrustBundleOptions {
  /** PEM certificates, read once at start; empty when the program has none. */
  readonly rootCa: string;
}

export const trustBundlePublisher: ControllerDescriptor<TrustBundleOptions> = {
  name: NAME,
  contract: {
    watches: [beta.ClusterTrustBundles],
    reads: [],
    writes: [create(beta.ClusterTrustBundles), update(beta.ClusterTrustBundles), remove(beta.ClusterTrustBundles)],
  },
  async build(context, { rootCa }, signal) {
    if (rootCa === "") return undefined;
    const { keys } = context.host;
    const problem = keys.certificatesProblem(rootCa);
    if (problem !== undefined) {
      const what = "failed to create a static CA content provider for the kube-apiserver-serving signer";
      throw new Error(`${what}: error loading CA bundle for "kube-apiserver-serving": ${problem}`);
    }
    const parts = await controllerParts(context, NAME);
    const resource = await servedBundles(parts.client, signal);
    if (resource === undefined) {
      parts.log.info(`no known scheme version was found for clustertrustbundles, cannot start ${NAME}`);
      return undefined;
    }
    const bundles = parts.ownInformer(resource, { fieldSelector: `spec.signerName=${SIGNER_NAME}` });
    const deps = {
      log: parts.log,
      clock: context.clock,
      metrics: registerPublisherMetrics(context.metrics),
      bundles,
      bundlesApi: parts.client.resource(resource),
      signerName: SIGNER_NAME,
      name: bundleName(SIGNER_NAME, rootCa, keys),
      trustBundle: rootCa,
    };
    const queue = parts.queue({ name: "ca_cert_publisher_cluster_trust_bundles" });
    parts.enqueue(bundles, queue, { on: ["add", "update", "delete"], key: () => KEY, resyncPeriodMs: 0 });
    parts.work({ queue, sync: (_, signal) => publishBundle(deps, signal) });
    parts.loop(async () => queue.add(KEY, { kind: "resync" }));
    return parts.controller();
  },
};

/** The newest version that the server serves; the fields are the same in all versions. */
async function servedBundles(client: Client, signal: AbortSignal): Promise<Resource<StoredBundle> | undefined> {
  const discovery = createDiscovery(client);
  for (const resource of [beta.ClusterTrustBundles, alpha.ClusterTrustBundles as unknown as Resource<StoredBundle>]) {
    try {
      const { resources } = await discovery.resourcesOf(`${resource.group}/${resource.version}`, signal);
      if (resources.some(({ name }) => name === resource.resource)) return resource;
    } catch (cause) {
      if (isNotFound(cause)) continue;
      if (signal.aborted) throw cause;
      throw new Error("discovery failed for ClusterTrustBundle", { cause });
    }
  }
  return undefined;
}
