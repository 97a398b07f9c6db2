// Resources that are created and deleted, that cannot be discovered, and that need special deletion.

import { expect } from "vitest";
import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import type { ApiResource } from "#client/discovery.ts";
import { define } from "#test/stage/custom-resources.ts";
import type { Excuse, ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { HOLD, map, namespaceNamed, untilCondition } from "./namespace-steps.ts";

type Answer = { readonly status?: number; readonly body: unknown };

/** Objects of an aggregated API server in one namespace: names, and the effect of attempts to delete them. */
class Remote {
  readonly names: Set<string>;
  /** The answer to a request other than a list; undefined executes it. */
  refusal: (name: string) => Answer | undefined = () => undefined;
  readonly requests: string[] = [];
  readonly resource: ApiResource;
  readonly #namespace: string;

  constructor(namespace: string, plural: string, verbs: readonly string[], names: readonly string[]) {
    this.#namespace = namespace;
    this.names = new Set(names);
    this.resource = { name: plural, singularName: "", namespaced: true, kind: "Gadget", verbs };
  }

  /** Serves these resources in one group. */
  static async serve(stage: Stage, remotes: readonly Remote[]): Promise<void> {
    const groupVersion = `gadgets.${stage.namespace}.example.com/v1`;
    await stage.serve({
      groupVersion,
      resources: remotes.map(({ resource }) => resource),
      answer: ({ method, path }) => {
        // "namespaces/…/parts/one", or "parts" for all namespaces.
        const [first, namespace = "", plural = first, name = ""] = path.split("/");
        const asked = remotes.find(({ resource }) => resource.name === plural);
        return asked?.answer(groupVersion, method, namespace, name) ?? failure(404, "NotFound", path);
      },
    });
  }

  answer(apiVersion: string, method: string, namespace: string, name: string): Answer {
    const isOwn = namespace === this.#namespace;
    const own = isOwn ? [...this.names] : [];
    if (method === "GET") {
      const items = own.map((name) => ({ apiVersion, kind: "Gadget", metadata: { name, namespace, uid: name } }));
      return { body: { apiVersion, kind: "GadgetList", metadata: { resourceVersion: "1" }, items } };
    }
    if (isOwn) this.requests.push(`${method} ${name}`);
    const refusal = this.refusal(name);
    if (refusal !== undefined) return refusal;
    for (const gone of name === "" ? own : [name]) this.names.delete(gone);
    return { body: { apiVersion: "v1", kind: "Status", status: "Success" } };
  }
}

const failure = (code: number, reason: string, message: string): Answer => ({
  status: code,
  body: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code, reason, message },
});

const ROUNDS: Excuse = {
  where: /writes of Events › namespace-controller: doomed-\{play\} events refused/,
  reason: "how often it empties the namespace while something is in its way",
};

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
    chance: [ROUNDS],
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
    name: "namespace/5, namespace/7, namespace/8, namespace/10, namespace/13 deletes one by one what cannot be deleted as a collection, tells which resource cannot be deleted yet and tries again, and leaves resources alone that cannot be deleted at all",
    alone: true,
    chance: [ROUNDS],
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await map(stage, namespace, "web");
      const parts = new Remote(namespace, "parts", ["delete", "get", "list"], ["one", "two"]);
      parts.refusal = (name) =>
        name === "" ? failure(405, "MethodNotAllowed", "the server does not allow this method") : undefined;
      const fruits = new Remote(namespace, "fruits", ["delete", "deletecollection", "get", "list"], ["one"]);
      fruits.refusal = () => failure(403, "Forbidden", "fruits are forbidden");
      const relics = new Remote(namespace, "relics", ["get", "list", "watch"], ["one"]);
      await Remote.serve(stage, [parts, fruits, relics]);
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const conditions = await untilCondition(
        stage,
        namespace,
        "NamespaceDeletionContentFailure",
        "ContentDeletionFailed",
      );
      expect(conditions.NamespaceDeletionContentFailure).toBe(
        "! ContentDeletionFailed: Failed to delete all resource types, 1 remaining: fruits are forbidden",
      );
      await stage.of(ConfigMaps, namespace).untilGone("web");
      fruits.refusal = () => undefined;
      await stage.of(Namespaces).untilGone(namespace);
      await stage.calm(async () => expect(parts.requests.slice(0, 3)).toEqual(["DELETE ", "DELETE one", "DELETE two"]));
      expect([[...relics.names], relics.requests]).toEqual([["one"], []]);
    },
  },
];
