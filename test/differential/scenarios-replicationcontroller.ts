// Scenarios about ReplicationControllers: the same engine, with what is different about the kind.

import type { Scenario } from "./scenario.ts";
import { quota, REFUSALS } from "./scenarios-replicaset.ts";

export const replicationControllerScenarios: readonly Scenario[] = [
  {
    name: "rc-scale",
    about: "0, 5, 2, 0 replicas of a ReplicationController",
    async play(sets) {
      const play = sets.of("ReplicationController");
      await play.owner("web", 0);
      await play.untilStatus("web", { observedGeneration: 1 });
      for (const replicas of [5, 2, 0]) {
        await play.settle();
        await play.scale("web", replicas);
        await play.untilStatus("web", { replicas });
      }
    },
  },
  {
    name: "rc-selector",
    about: "the selector defaults to the template's labels; a relabelled pod is released",
    async play(sets) {
      const play = sets.of("ReplicationController");
      await play.owner("web", 2, { selector: null });
      await play.untilStatus("web", { replicas: 2 });
      const [released = ""] = await play.call("released", "kept");
      await play.settle();
      await play.patch(`pods/${released}`, { metadata: { labels: { app: "debug" } } });
      await play.until("the replacement", async () => ((await play.pods()).length === 3 ? true : undefined));
      await play.untilStatus("web", { replicas: 2 });
    },
  },
  {
    name: "rc-adopt",
    about: "matching orphans are adopted, a graceful deletion is replaced",
    async play(sets) {
      const play = sets.of("ReplicationController");
      await play.pod("first", { app: "web" });
      await play.settle();
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      await play.bind("first", "node-1");
      await play.settle();
      await play.delete("pods/first");
      await play.until("the replacement", async () => ((await play.pods()).length === 3 ? true : undefined));
    },
  },
  {
    name: "rc-quota",
    about: "refused creates of a ReplicationController",
    company: "refused",
    async play(sets) {
      const play = sets.of("ReplicationController");
      await quota(play, 1);
      await play.owner("web", 3);
      await play.untilRefused(REFUSALS);
      await play.untilStatus("web", { replicas: 1 });
      await play.settle();
      await play.scale("web", 1);
      await play.untilStatus("web", { observedGeneration: 2 });
    },
  },
  {
    name: "rc-availability",
    about: "minReadySeconds of a ReplicationController",
    async play(sets) {
      const play = sets.of("ReplicationController");
      await play.owner("web", 1, { minReadySeconds: 4 });
      await play.untilStatus("web", { replicas: 1 });
      const [pod = ""] = await play.call("first");
      await play.ready(pod);
      await play.untilStatus("web", { readyReplicas: 1 });
      await play.settle();
      await play.untilStatus("web", { availableReplicas: 1 });
    },
  },
  {
    name: "rc-and-rs",
    about: "a ReplicationController and a ReplicaSet with the same selector leave each other's pods alone",
    async play(play) {
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      await play.settle();
      const controllers = play.of("ReplicationController");
      await controllers.owner("web", 1);
      await controllers.untilStatus("web", { replicas: 1 });
    },
  },
];
