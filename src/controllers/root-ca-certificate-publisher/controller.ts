/**
 * Publishes the cluster's root CA to every namespace, so that pods can verify the API server.
 *
 * Keeps true:  each namespace has a ConfigMap kube-root-ca.crt with exactly the CA bundle in ca.crt.
 * Watches:     ConfigMap of that name (update, delete), Namespace (add; update while Active).
 * Reads live:  nothing.
 * Writes:      create and update of ConfigMap.
 * Requeues:    never; failures are retried with back-off.
 * Identity:    root-ca-cert-publisher.
 * Upstream:    pkg/controller/certificates/rootcacertpublisher.
 * Deviations:  none.
 */

import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { runWorkers } from "#kit/worker-loop.ts";
import { CONFIG_MAP_NAME } from "./bundle.ts";
import { registerPublisherMetrics } from "./metrics.ts";
import { syncNamespace } from "./sync.ts";

const IDENTITY = "root-ca-cert-publisher";

export interface PublisherOptions {
  /** PEM certificates, read once at start; empty when the program has none. */
  readonly rootCa: string;
}

export const rootCaPublisherController: ControllerDescriptor<PublisherOptions> = {
  name: "root-ca-certificate-publisher-controller",
  build: buildPublisher,
};

async function buildPublisher(context: ControllerContext, { rootCa }: PublisherOptions): Promise<Controller> {
  const log = context.log.named(IDENTITY);
  const client = await context.client(IDENTITY);
  const configMaps = context.informers.informer(ConfigMaps);
  const namespaces = context.informers.informer(Namespaces);
  const queue = new KeyQueue({ context, controller: IDENTITY, name: "root_ca_cert_publisher" });
  const deps = {
    configMaps,
    configMapsApi: client.resource(ConfigMaps),
    rootCa,
    clock: context.clock,
    metrics: registerPublisherMetrics(context.metrics),
  };

  const configMapEvents = enqueuing(queue, ConfigMaps, ({ metadata }) =>
    metadata.name === CONFIG_MAP_NAME ? metadata.namespace : undefined,
  );
  const namespaceEvents = enqueuing(queue, Namespaces);
  const registration = configMaps.addHandler({
    onUpdate: configMapEvents.onUpdate,
    onDelete: configMapEvents.onDelete,
  });
  namespaces.addHandler({
    onAdd: namespaceEvents.onAdd,
    onUpdate(old, namespace) {
      if (namespace.status?.phase === "Active") namespaceEvents.onUpdate(old, namespace);
    },
  });

  return {
    run: (signal) =>
      runWorkers(
        { queue, log, workers: 1, waitFor: [registration], sync: (key, signal) => syncNamespace(key, deps, signal) },
        signal,
      ),
  };
}
