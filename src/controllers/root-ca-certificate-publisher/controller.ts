/**
 * Publishes the cluster's root CA to every namespace, so that pods can verify the API server.
 *
 * Keeps true:  each namespace has a ConfigMap kube-root-ca.crt with exactly the CA bundle in ca.crt.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/certificates/rootcacertpublisher.
 * Deviations:  none.
 */

import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import { create, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { CONFIG_MAP_NAME } from "./bundle.ts";
import { registerPublisherMetrics } from "./metrics.ts";
import { syncNamespace } from "./sync.ts";

export interface PublisherOptions {
  /** PEM certificates, read once at start; empty when the program has none. */
  readonly rootCa: string;
}

export const rootCaPublisherController: ControllerDescriptor<PublisherOptions> = keyedController({
  name: "root-ca-certificate-publisher-controller",
  contract: {
    watches: [ConfigMaps, Namespaces],
    reads: [],
    writes: [create(ConfigMaps), update(ConfigMaps)],
  },
  build(parts, { rootCa }) {
    const { context } = parts;
    const configMaps = parts.informer(ConfigMaps);
    const configMapsApi = parts.client.resource(ConfigMaps);
    const metrics = registerPublisherMetrics(context.metrics);
    const deps = { configMaps, configMapsApi, rootCa, clock: context.clock, metrics };
    const queue = parts.queue({ name: "root_ca_cert_publisher" });
    parts.enqueue(configMaps, queue, {
      on: ["update", "delete"],
      key: ({ metadata }) => (metadata.name === CONFIG_MAP_NAME ? metadata.namespace : undefined),
    });
    // Not waited for: a ConfigMap is restored even while namespaces cannot be listed.
    const namespaceEvents = enqueuing(queue, Namespaces, {
      on: ["add", "update"],
      when: ({ status }, old) => old === undefined || status?.phase === "Active",
    });
    context.informers.informer(Namespaces).addHandler(namespaceEvents);
    parts.work({ queue, sync: (key, signal) => syncNamespace(key, deps, signal) });
  },
});
