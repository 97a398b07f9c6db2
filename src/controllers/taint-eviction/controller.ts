/**
 * Deletes pods from nodes with NoExecute taints that the pods do not, or no longer, tolerate.
 *
 * Keeps true:  a pod on a node with a NoExecute taint that it does not tolerate is deleted at once, with the condition
 *              DisruptionTarget. A pod that tolerates all of them for a time is deleted when the shortest of these
 *              times has passed since the controller saw the taint. Without taints, or with tolerations without a time,
 *              no pod is deleted and scheduled deletions are cancelled.
 * Requeues:    never. A deletion is tried 5 times; its failure is logged, and the next change of the node's taints or
 *              the pod's tolerations tries again. A restart starts all times again.
 * Upstream:    pkg/controller/tainteviction.
 * Deviations:  one worker for nodes and one for pods instead of 8 shards of both, because syncs do not wait.
 *              pod_deletion_duration_seconds is in seconds.
 */

import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { events, get, patch, remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { addNodeIndex } from "#kit/pods-by-node.ts";
import { TimedWork } from "#kit/timed-work.ts";
import { done } from "#kit/worker-loop.ts";
import { type EvictionDeps, evict } from "./evict.ts";
import { registerTaintEvictionMetrics } from "./metrics.ts";
import { type Deps, type PodOnNode, syncNode, syncPod } from "./sync.ts";
import { changesNode, changesPod } from "./triggers.ts";

const NAME = "taint-eviction-controller";

export const taintEvictionController: ControllerDescriptor = keyedController({
  name: NAME,
  contract: {
    watches: [Pods, Nodes],
    reads: [get(Pods)],
    writes: [patch(Pods, "status"), remove(Pods), ...events],
  },
  build(parts) {
    const { clock, gates, metrics } = parts.context;
    const pods = parts.informer(Pods);
    const nodes = parts.informer(Nodes);
    addNodeIndex(pods);
    const recorder = parts.recorder(NAME);
    const evictionDeps: EvictionDeps = {
      clock,
      gates,
      log: parts.log,
      recorder,
      podsApi: parts.client.resource(Pods),
      metrics: registerTaintEvictionMetrics(metrics),
    };
    const evictions = new TimedWork(clock, (key, dueMs, signal) => evict(key, dueMs, evictionDeps, signal));
    const comparesIntegers = gates.isEnabled("TaintTolerationComparisonOperators");
    const deps: Deps = { pods, nodes, recorder, evictions, taintedNodes: new Map(), comparesIntegers };

    const nodeQueue = parts.queue({ name: "noexec_taint_node" });
    const podQueue = parts.queue<PodOnNode>({
      name: "noexec_taint_pod",
      text: ({ pod, nodeName }) => `${pod} on ${nodeName}`,
    });
    parts.enqueue(nodes, nodeQueue, { when: changesNode });
    parts.enqueue(pods, podQueue, {
      when: changesPod,
      key: (pod) => ({ pod: objectKey(pod), nodeName: pod.spec?.nodeName ?? "" }),
    });
    parts.loop((signal) => evictions.run(signal));
    parts.work({
      queue: nodeQueue,
      sync: async (name) => {
        syncNode(name, deps);
        return done;
      },
    });
    parts.work({
      queue: podQueue,
      sync: async (key) => {
        syncPod(key, deps);
        return done;
      },
    });
  },
});
