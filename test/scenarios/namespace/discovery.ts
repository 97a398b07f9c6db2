// Resources that come and go, that cannot be discovered, and that cannot be deleted as usual.

import { expect } from "vitest";
import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import type { ApiResource } from "#client/discovery.ts";
import { define } from "#test/stage/custom-resources.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { HOLD, map, namespaceNamed, untilCondition } from "./namespace-steps.ts";

type Answer = { readonly status?: number; readonly body: unknown };

/** Gadgets of another server: their names, and what becomes of attempts to delete them. */
class Gadgets {
  readonly names: Set<string>;
  /** How a request other than a list is answered; undefined: it is done. */
  refusal: (method: string, name: string) => Answer | undefined = () => undefined;
  readonly #namespace: string;
  readonly requests: string[] = [];

  constructor(namespace: string, names: readonly string[]) {
    this.#namespace = namespace;
    this.names = new Set(names);
  }

  static groupOf(stage: Stage): string {
    return `gadgets.${stage.namespace}.example.com`;
  }

  async serve(stage: Stage, verbs: readonly string[]): Promise<void> {
    const gadgets: ApiResource = { name: "gadgets", singularName: "", namespaced: true, kind: "Gadget", verbs };
    await stage.serve({
      groupVersion: `${Gadgets.groupOf(stage)}/v1`,
      resources: [gadgets],
      answer: ({ method, path }) => this.#answer(`${Gadgets.groupOf(stage)}/v1`, method, path),
    });
  }

  #answer(apiVersion: string, method: string, path: string): Answer {
    const [, namespace, , name = ""] = path.split("/");
    const own = namespace === this.#namespace ? [...this.names] : [];
    if (method === "GET") {
      const items = own.map((name) => ({ apiVersion, kind: "Gadget", metadata: { name, namespace, uid: name } }));
      return { body: { apiVersion, kind: "GadgetList", metadata: { resourceVersion: "1" }, items } };
    }
    if (namespace === this.#namespace) this.requests.push(`${method} ${name}`);
    const refusal = this.refusal(method, name);
    if (refusal !== undefined) return refusal;
    for (const gone of name === "" ? own : [name]) this.names.delete(gone);
    return { body: { apiVersion: "v1", kind: "Status", status: "Success" } };
  }
}

const failure = (code: number, reason: string, message: string): Answer => ({
  status: code,
  body: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code, reason, message },
});

export const discovery: readonly ScenarioText[] = [
  {
    name: "namespace/5, namespace/7, namespace/13 empties a namespace of custom resources that came after the controller started",
    async play(stage) {
      const Widgets = await define(stage, "Widget");
      const namespace = await namespaceNamed(stage, "doomed");
      await stage.of(Widgets, namespace).create({ metadata: { name: "free" } });
      await stage.of(Widgets, namespace).create({ metadata: { name: "held", finalizers: [HOLD] } });
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const { NamespaceContentRemaining: remaining } = await untilCondition(
        stage,
        namespace,
        "NamespaceContentRemaining",
        "SomeResourcesRemain",
      );
      expect(remaining).toContain(`: widgets.${Widgets.group} has 1 resource instances`);
      await stage.of(Widgets, namespace).untilGone("free");
      await stage.of(Widgets, namespace).patch("held", { metadata: { finalizers: null } });
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/5, namespace/13, namespace/traps keeps a namespace as long as a group cannot be discovered, and empties it of the rest",
    alone: true,
    chance: [
      {
        where: /writes of Events › namespace-controller: doomed-\{play\} events refused/,
        reason: "how often it empties the namespace while a group cannot be discovered",
      },
    ],
    async play(stage) {
      const group = `broken.${stage.namespace}.example.com`;
      await stage.serve({ groupVersion: `${group}/v1` });
      const namespace = await namespaceNamed(stage, "doomed");
      await map(stage, namespace, "web");
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const conditions = await untilCondition(stage, namespace, "NamespaceDeletionDiscoveryFailure", "DiscoveryFailed");
      expect(conditions.NamespaceDeletionDiscoveryFailure).toBe(
        "! DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: " +
          `${group}/v1: stale GroupVersion discovery: ${group}/v1`,
      );
      expect(conditions.NamespaceContentRemaining).toContain("ContentRemoved");
      await stage.of(ConfigMaps, namespace).untilGone("web");
      await stage.of(Namespaces).get(namespace);
    },
  },
  {
    name: "namespace/8 deletes one by one what cannot be deleted as a collection",
    alone: true,
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      const gadgets = new Gadgets(namespace, ["one", "two"]);
      gadgets.refusal = (_, name) =>
        name === "" ? failure(405, "MethodNotAllowed", "the server does not allow this method") : undefined;
      await gadgets.serve(stage, ["delete", "get", "list"]);
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      await stage.of(Namespaces).untilGone(namespace);
      await stage.calm(async () => expect(gadgets.requests).toEqual(["DELETE ", "DELETE one", "DELETE two"]));
    },
  },
  {
    name: "namespace/7, namespace/10, namespace/13 tells which resource cannot be deleted, empties the rest and tries again",
    alone: true,
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await map(stage, namespace, "web");
      const gadgets = new Gadgets(namespace, ["one"]);
      gadgets.refusal = () => failure(403, "Forbidden", "gadgets are forbidden fruit");
      await gadgets.serve(stage, ["delete", "deletecollection", "get", "list"]);
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const conditions = await untilCondition(
        stage,
        namespace,
        "NamespaceDeletionContentFailure",
        "ContentDeletionFailed",
      );
      expect(conditions.NamespaceDeletionContentFailure).toBe(
        "! ContentDeletionFailed: Failed to delete all resource types, 1 remaining: gadgets are forbidden fruit",
      );
      await stage.of(ConfigMaps, namespace).untilGone("web");
      gadgets.refusal = () => undefined;
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/5 leaves resources alone that cannot be deleted",
    alone: true,
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      const gadgets = new Gadgets(namespace, ["one"]);
      await gadgets.serve(stage, ["get", "list", "watch"]);
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      await stage.of(Namespaces).untilGone(namespace);
      expect([[...gadgets.names], gadgets.requests]).toEqual([["one"], []]);
    },
  },
];
