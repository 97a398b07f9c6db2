// The serviceaccount controller creates the default account of every namespace.

import { expect } from "vitest";
import { Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { createNamespace, terminateNamespace } from "#test/stage/namespaces.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";

export const scenarios: readonly Scenario[] = scenariosOf("serviceaccount-controller", { cast: "auth" }, [
  {
    name: "serviceaccount/2, serviceaccount/tests gives a new namespace its default account, with nothing but a name",
    async play(stage) {
      const namespace = await createNamespace(stage, "new");
      const { metadata, ...rest } = await stage.of(ServiceAccounts, namespace).until("default");
      expect(Object.keys(rest).toSorted()).toEqual(["apiVersion", "kind"]);
      expect(metadata.labels).toBeUndefined();
    },
  },
  {
    name: "serviceaccount/4, serviceaccount/tests makes the default account again when it is deleted, and no other",
    async play(stage) {
      const accounts = stage.of(ServiceAccounts);
      const { uid } = (await accounts.get("default")).metadata;
      await accounts.create({ metadata: { name: "other" } });
      await accounts.delete("other");
      await accounts.delete("default");
      await accounts.until("default", ({ metadata }) => metadata.uid !== uid);
      await accounts.untilGone("other");
    },
  },
  {
    name: "serviceaccount/5 never changes an account that exists",
    async play(stage) {
      const accounts = stage.of(ServiceAccounts);
      const change = { metadata: { annotations: { mine: "1" } }, automountServiceAccountToken: false };
      await accounts.patch("default", change);
      await stage.settle();
      const { metadata, automountServiceAccountToken } = await accounts.get("default");
      expect([metadata.annotations, automountServiceAccountToken]).toEqual([{ mine: "1" }, false]);
    },
  },
  {
    name: "serviceaccount/1, serviceaccount/tests makes no account in a namespace that is being deleted",
    async play(stage) {
      const accounts = stage.of(ServiceAccounts);
      await accounts.create({ metadata: { name: "other" } });
      await terminateNamespace(stage);
      await stage.settle();
      await accounts.delete("default");
      await accounts.delete("other");
      await stage.settle();
      expect(await accounts.list()).toEqual([]);
    },
  },
  {
    name: "serviceaccount/tests makes pods possible: one that names no account gets the default one, and its token",
    async play(stage) {
      const spec = { containers: [{ name: "container", image: "container-image" }] };
      const pod = await stage.of(Pods).create({ metadata: { name: "protopod" }, spec });
      expect(pod.spec?.serviceAccountName).toBe("default");
      expect(pod.spec?.volumes?.[0]?.projected).toBeDefined();
    },
  },
]);
