// What the serviceaccount controller must do, as scenarios for both stages.

import { expect } from "vitest";
import type { Pod, ServiceAccount } from "#api/generated/types/core-v1.ts";
import { account, accountsGvr } from "./account-objects.ts";
import { podsGvr } from "./pod-steps.ts";
import type { Scenario } from "./stage.ts";
import {
  createNamespace,
  createObject,
  namesIn,
  patch,
  remove,
  terminateNamespace,
  untilFound,
  untilGone,
} from "./steps.ts";

export const accountScenarios: readonly Scenario[] = [
  {
    name: "serviceaccount/2, serviceaccount/tests gives a new namespace its default account, with nothing but a name",
    async play(stage) {
      const namespace = `new-${stage.namespace}`;
      await createNamespace(stage, namespace);
      const found = await untilFound<ServiceAccount>(stage, accountsGvr, "default", undefined, namespace);
      expect(Object.keys(found).filter((key) => key !== "metadata")).toEqual([]);
      expect(found.metadata?.labels).toBeUndefined();
    },
  },
  {
    name: "serviceaccount/4, serviceaccount/tests makes the default account again when it is deleted, and no other",
    async play(stage) {
      const before = await untilFound<ServiceAccount>(stage, accountsGvr, "default");
      await createObject(stage, accountsGvr, account("other"));
      await remove(stage, accountsGvr, "other");
      await remove(stage, accountsGvr, "default");
      await untilFound<ServiceAccount>(
        stage,
        accountsGvr,
        "default",
        ({ metadata }) => metadata?.uid !== before.metadata?.uid,
      );
      await untilGone(stage, accountsGvr, "other");
    },
  },
  {
    name: "serviceaccount/5 never changes an account that exists",
    async play(stage) {
      await untilFound(stage, accountsGvr, "default");
      await patch(stage, accountsGvr, "default", {
        metadata: { annotations: { mine: "1" } },
        automountServiceAccountToken: false,
      });
      await stage.pass(300);
      const kept = await untilFound<ServiceAccount>(stage, accountsGvr, "default");
      expect([kept.metadata?.annotations, kept.automountServiceAccountToken]).toEqual([{ mine: "1" }, false]);
    },
  },
  {
    name: "serviceaccount/1, serviceaccount/tests makes no account in a namespace that is being deleted",
    async play(stage) {
      await untilFound(stage, accountsGvr, "default");
      await createObject(stage, accountsGvr, account("other"));
      await terminateNamespace(stage);
      await remove(stage, accountsGvr, "default");
      await remove(stage, accountsGvr, "other");
      await stage.pass(300);
      expect(await namesIn(stage, accountsGvr)).toEqual([]);
    },
  },
  {
    name: "serviceaccount/tests makes pods possible: one that names no account gets the default one, and its token",
    async play(stage) {
      await untilFound(stage, accountsGvr, "default");
      const object: Pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "protopod" },
        spec: { containers: [{ name: "container", image: "container-image" }] },
      };
      const { spec } = await createObject(stage, podsGvr, object);
      expect(spec?.serviceAccountName).toBe("default");
      expect(spec?.volumes?.[0]?.projected).toBeDefined();
    },
  },
];
