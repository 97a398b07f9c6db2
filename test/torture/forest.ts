// Ten thousand dependents of a hundred owners on a real API server: fans, chains and trees over three kinds, objects
// with two owners, circles. Each object knows whether the garbage collector must delete it after the owners are
// deleted.

import { ConfigMaps, Secrets } from "#api/generated/resources/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { apiVersionOf } from "#api/object.ts";
import { type Resource, resourceHandle, type StoredObject } from "#api/resource.ts";
import type { Rng } from "#base/rng.ts";
import type { Client } from "#client/client.ts";
import { inParallel } from "./config-map-writer.ts";

export const Widgets: Resource<StoredObject> = resourceHandle({
  group: "forest.example.com",
  version: "v1",
  resource: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});

const FAN_OWNERS = 10;
const FAN_DEPENDENTS = 300;
const CHAINS = 20;
const CHAIN_LENGTH = 150;
const TREES = 10;
const TREE_DEPENDENTS = 147;
const CIRCLES = 10;
const SHARED = 1000;
const LIVING_OWNERS = 10;
const LIVING_DEPENDENTS = 100;
const ORPHANED_OWNERS = 5;
const ORPHANED_DEPENDENTS = 100;
const AT_ONCE = 32;
const NAMESPACES = ["forest-a", "forest-b"];

const KINDS = [ConfigMaps, Secrets, Widgets] as readonly Resource<StoredObject>[];

type Fate = "dies" | "stays";

/** An object of the plan; its UID is known once it is created. */
export interface Tree {
  readonly resource: Resource<StoredObject>;
  readonly namespace: string;
  readonly name: string;
  readonly fate: Fate;
  readonly owners: readonly Tree[];
  /** For an object that stays, the names of its final owners. */
  readonly keptOwners: readonly string[];
  /** Owners have lower levels than their dependents. */
  readonly level: number;
  /** The propagation policy with which an owner is deleted. */
  readonly policy?: string;
  /** Deleted in the foreground and has dependents: its delete may be repeated while it waits. */
  readonly waits: boolean;
  uid: string;
}

type Sketch = Partial<Pick<Tree, "resource" | "owners" | "keptOwners" | "policy" | "waits">>;

export class Forest {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly trees: Tree[] = [];
  readonly #rng: Rng;
  /** Objects of one level depend only on those of earlier levels. */
  readonly #levels: Tree[][] = [];
  readonly #circles: (readonly [Tree, Tree, Tree])[] = [];

  constructor(client: Client, rng: Rng, signal: AbortSignal) {
    this.client = client;
    this.signal = signal;
    this.#rng = rng;
    this.#plan();
  }

  static readonly namespaces: readonly string[] = NAMESPACES;

  get dependents(): readonly Tree[] {
    return this.trees.filter(({ owners }) => owners.length > 0);
  }

  async plant(): Promise<void> {
    for (const level of this.#levels) await inParallel(level, AT_ONCE, (tree) => this.#create(tree));
    for (const [first, , last] of this.#circles) {
      const patch = { metadata: { ownerReferences: [referenceTo(last)] } };
      const { namespace, name } = first;
      await this.client.resource(first.resource).patch({ namespace, name, type: "merge", patch }, this.signal);
    }
  }

  /** Deletes the owners that must go. */
  async fell(): Promise<void> {
    const owners = this.trees.filter(({ policy }) => policy !== undefined);
    await inParallel(owners, AT_ONCE, async ({ resource, namespace, name, policy = "" }) => {
      const options = { propagationPolicy: policy };
      await this.client.resource(resource).delete({ namespace, name, options }, this.signal);
    });
  }

  /** The objects on the server, by UID. */
  async list(): Promise<ReadonlyMap<string, StoredObject>> {
    const found = new Map<string, StoredObject>();
    for (const resource of KINDS) {
      for (const namespace of NAMESPACES) {
        const { items } = await this.client
          .metadata(resource)
          .list({ namespace, labelSelector: "forest" }, this.signal);
        for (const object of items) found.set(object.metadata.uid, object);
      }
    }
    return found;
  }

  #plan(): void {
    const policyOf = (index: number): string => (index % 2 === 0 ? "Background" : "Foreground");
    for (let i = 0; i < FAN_OWNERS; i++) {
      const owner = this.#add(`fan-${i}`, "dies", { policy: policyOf(i), waits: i % 2 === 1 });
      for (let j = 0; j < FAN_DEPENDENTS; j++) this.#add(`fan-${i}-${j}`, "dies", { owners: [owner] });
    }
    for (let i = 0; i < CHAINS; i++) {
      const waits = i % 2 === 1;
      let last = this.#add(`chain-${i}`, "dies", { policy: policyOf(i), waits });
      for (let j = 1; j <= CHAIN_LENGTH; j++) last = this.#add(`chain-${i}-${j}`, "dies", { owners: [last], waits });
    }
    for (let i = 0; i < TREES; i++) {
      const waits = i % 2 === 1;
      const members = [this.#add(`tree-${i}`, "dies", { policy: policyOf(i), waits, resource: this.#anyKind() })];
      for (let j = 1; j <= TREE_DEPENDENTS; j++) {
        const owner = members[Math.floor((j - 1) / 3)] as Tree;
        members.push(this.#add(`tree-${i}-${j}`, "dies", { owners: [owner], waits, resource: this.#anyKind() }));
      }
    }
    for (let i = 0; i < CIRCLES; i++) this.#addCircle(i);
    const living = Array.from({ length: LIVING_OWNERS }, (_, i) => this.#add(`living-${i}`, "stays"));
    for (const owner of living) {
      for (let j = 0; j < LIVING_DEPENDENTS; j++) {
        const keptOwners = [owner.name];
        this.#add(`${owner.name}-${j}`, "stays", { owners: [owner], keptOwners, resource: this.#anyKind() });
      }
    }
    const dying = [0, 1, 2, 3].map((i) => this.#add(`half-${i}`, "dies", { policy: policyOf(i), waits: i % 2 === 1 }));
    for (let i = 0; i < SHARED; i++) {
      const kept = living[i % living.length] as Tree;
      const lost = dying.filter(({ namespace }) => namespace === kept.namespace);
      const owners = [kept, ...lost];
      this.#add(`shared-${i}`, "stays", { owners, keptOwners: [kept.name], resource: this.#anyKind() });
    }
    for (let i = 0; i < ORPHANED_OWNERS; i++) {
      const owner = this.#add(`orphaning-${i}`, "dies", { policy: "Orphan", waits: true, resource: this.#anyKind() });
      for (let j = 0; j < ORPHANED_DEPENDENTS; j++) {
        this.#add(`orphan-${i}-${j}`, "stays", { owners: [owner], resource: this.#anyKind() });
      }
    }
  }

  /** Three objects that own each other; the first is deleted in the foreground. */
  #addCircle(index: number): void {
    const first = this.#add(`circle-${index}-0`, "dies", { policy: "Foreground", waits: true });
    const second = this.#add(`circle-${index}-1`, "dies", { owners: [first], waits: true });
    const third = this.#add(`circle-${index}-2`, "dies", { owners: [second], waits: true });
    this.#circles.push([first, second, third]);
  }

  #add(name: string, fate: Fate, sketch: Sketch = {}): Tree {
    const { resource = ConfigMaps, owners = [], keptOwners = [], waits = false, policy } = sketch;
    const level = Math.max(-1, ...owners.map((owner) => owner.level)) + 1;
    const members = this.#levels[level] ?? [];
    this.#levels[level] = members;
    const namespace = owners[0]?.namespace ?? (NAMESPACES[members.length % NAMESPACES.length] as string);
    const common = { resource, namespace, name, fate, owners, keptOwners, waits, level, uid: "" };
    const tree: Tree = policy === undefined ? common : { ...common, policy };
    this.trees.push(tree);
    members.push(tree);
    return tree;
  }

  #anyKind(): Resource<StoredObject> {
    return KINDS[this.#rng.below(KINDS.length)] as Resource<StoredObject>;
  }

  async #create(tree: Tree): Promise<void> {
    const { resource, namespace, name, fate, owners } = tree;
    const metadata = { name, labels: { forest: fate }, ownerReferences: owners.map(referenceTo) };
    const created = await this.client.resource(resource).create({ namespace, object: { metadata } }, this.signal);
    tree.uid = created.metadata.uid;
  }
}

function referenceTo({ resource, name, uid }: Tree): OwnerReference {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, blockOwnerDeletion: true };
}
