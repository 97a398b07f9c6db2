// Writes config maps directly to the API server and records the history that caches must report.

import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Client, ResourceClient } from "#client/client.ts";

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const PADDING = "x".repeat(200);

export class ConfigMapWriter {
  /** The changes since the last call of forget: "add uid version", "update uid version", "delete uid". */
  readonly happened: string[] = [];
  readonly alive: Map<string, ConfigMap> = new Map();
  readonly #maps: ResourceClient<ConfigMap>;
  readonly #namespace: string;
  readonly #signal: AbortSignal;
  #writes = 0;

  constructor(client: Client, namespace: string, signal: AbortSignal) {
    this.#maps = client.resource(ConfigMaps);
    this.#namespace = namespace;
    this.#signal = signal;
  }

  async create(name: string): Promise<ConfigMap> {
    const object: ConfigMap = { metadata: { name }, data: { padding: PADDING, write: String(++this.#writes) } };
    const created = await this.#maps.create({ namespace: this.#namespace, object }, this.#signal);
    this.alive.set(name, created);
    this.happened.push(eventText("add", created));
    return created;
  }

  async update(name: string): Promise<ConfigMap> {
    const patch = { data: { write: String(++this.#writes) } };
    const updated = await this.#maps.patch({ namespace: this.#namespace, name, type: "merge", patch }, this.#signal);
    this.alive.set(name, updated);
    this.happened.push(eventText("update", updated));
    return updated;
  }

  async remove(name: string): Promise<void> {
    const known = this.alive.get(name);
    await this.#maps.delete({ namespace: this.#namespace, name }, this.#signal);
    this.alive.delete(name);
    this.happened.push(`delete ${known?.metadata?.uid}`);
  }

  async list(): Promise<readonly ConfigMap[]> {
    return (await this.#maps.list({ namespace: this.#namespace }, this.#signal)).items;
  }

  forget(): void {
    this.happened.length = 0;
  }
}

export function eventText(type: "add" | "update", object: KubeObject): string {
  return `${type} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`;
}

/** Runs the jobs, some at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  job: (item: T) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await job(items[next++] as T);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
