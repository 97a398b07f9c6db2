/**
 * Signs the cluster-info ConfigMap with bootstrap tokens, so that a new node that has a token can trust it.
 *
 * Keeps true:  kube-public/cluster-info has one detached JWS signature of its kubeconfig for each bootstrap token that
 *              may sign, and no others.
 * Requeues:    never. As upstream, a refused update waits for the next event, and an expired token is noticed when its
 *              Secret is deleted.
 * Upstream:    pkg/controller/bootstrap/bootstrapsigner.go.
 * Deviations:  the signature of a token whose deletion a relist found is removed at once. An update without an answer
 *              is retried.
 */

import { ConfigMaps, Secrets } from "#api/generated/resources/core-v1.ts";
import { ApiError, isConflict, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { isBootstrapToken } from "#families/bootstrap-tokens/bootstrap-token.ts";
import { update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { compareText } from "#kit/order.ts";
import { done } from "#kit/worker-loop.ts";
import { signedData, signingToken } from "./signatures.ts";

const CLUSTER_INFO = "kube-public/cluster-info";

export const bootstrapSigner: ControllerDescriptor = keyedController({
  name: "bootstrap-signer-controller",
  contract: {
    watches: [ConfigMaps, Secrets],
    reads: [],
    writes: [update(ConfigMaps)],
  },
  build(parts) {
    const { clock, host } = parts.context;
    const configMaps = parts.informer(ConfigMaps);
    const secrets = parts.informer(Secrets);
    const api = parts.client.resource(ConfigMaps);
    const queue = parts.queue({ name: "bootstrap_signer_queue" });
    const isClusterInfo = ({
      metadata,
    }: {
      readonly metadata: { readonly namespace: string; readonly name: string };
    }): boolean => `${metadata.namespace}/${metadata.name}` === CLUSTER_INFO;
    parts.enqueue(configMaps, queue, { on: ["add", "update"], when: isClusterInfo, resyncPeriodMs: 0 });
    parts.enqueue(secrets, queue, {
      on: ["add", "update", "delete"],
      when: isBootstrapToken,
      key: () => CLUSTER_INFO,
      resyncPeriodMs: 0,
    });
    parts.work({
      queue,
      async sync(_, signal) {
        const configMap = configMaps.lister.get(CLUSTER_INFO);
        if (configMap === undefined) return done;
        const now = clock.now();
        const ordered = secrets.lister
          .list(undefined, "kube-system")
          .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
        const tokens = ordered.flatMap((secret) => signingToken(secret, now) ?? []);
        const data = signedData(configMap.data ?? {}, tokens, host.keys);
        if (data === undefined) return done;
        try {
          await api.update({ object: { ...configMap, data } }, signal);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (!isConflict(error) && !isNotFound(error)) {
            parts.log.v(3).info("Error updating ConfigMap", { err: errorMessage(error) });
          }
        }
        return done;
      },
    });
  },
});
