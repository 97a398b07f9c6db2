// Holds back the events of single resources from a manager, so that the scenario decides which event the manager sees
// first.

import type { GroupVersionResource } from "#api/object.ts";
import { orAborted } from "#base/abort.ts";
import type { Transport } from "#base/http.ts";

/** Whose events are held, in all versions and namespaces. */
export type HeldResource = Pick<GroupVersionResource, "group" | "resource">;

/** "pods", "deployments.apps". */
export function qualifiedName({ group, resource }: HeldResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** The qualified name of the resource that a path of a list or a watch ends with. */
export function qualifiedNameIn(path: string): string {
  const [, root, group = ""] = path.split("/");
  return qualifiedName({ group: root === "apis" ? group : "", resource: path.split("/").at(-1) ?? "" });
}

export class HeldWatches {
  readonly #held = new Map<string, PromiseWithResolvers<void>>();

  /** From now on, holds back all events of the resource. */
  hold(resource: HeldResource): void {
    const name = qualifiedName(resource);
    if (!this.#held.has(name)) this.#held.set(name, Promise.withResolvers());
  }

  /** Delivers the events that were held back. */
  release(resource: HeldResource): void {
    this.#release(qualifiedName(resource));
  }

  releaseAll(): void {
    for (const name of [...this.#held.keys()]) this.#release(name);
  }

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        const response = await transport.send(request, signal);
        const { body } = response;
        if (body.kind !== "stream" || !/(^|&)watch=/.test(request.query)) return response;
        const name = qualifiedNameIn(request.path);
        return { ...response, body: { kind: "stream", chunks: this.#gated(name, body.chunks, signal) } };
      },
    };
  }

  #release(name: string): void {
    this.#held.get(name)?.resolve();
    this.#held.delete(name);
  }

  async *#gated(name: string, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      for (let held = this.#held.get(name); held !== undefined; held = this.#held.get(name)) {
        await orAborted(held.promise, signal);
      }
      yield chunk;
    }
  }
}
