// A garbage collector on the embedded server, with custom resources that tests define.

import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { CustomResourceDefinition } from "#api/generated/types/apiextensions-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { type Resource, resourceHandle, type StoredObject } from "#api/resource.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

export const Widgets: Resource<StoredObject> = widgets("v1");

export interface CollectorOptions extends Omit<WireManagerOptions, "config"> {
  readonly config?: Partial<ComponentConfig["GarbageCollectorController"]>;
}

export class CollectorWorld extends WireStage {
  static open(seed: string): Promise<CollectorWorld> {
    return new CollectorWorld({ controllers: ["garbage-collector-controller"], seed }).opened();
  }

  start({ config = {}, ...rest }: CollectorOptions = {}): void {
    const GarbageCollectorController = { ...defaultConfig.GarbageCollectorController, ...config };
    this.startManager({ ...rest, config: { GarbageCollectorController } });
  }

  /** Creates a ConfigMap whose owner does not exist, unless an owner is given. */
  garbage(name: string, owner: Owner = nothing): Promise<unknown> {
    return this.of(ConfigMaps).create({ metadata: { name, ownerReferences: [referenceTo(owner)] } });
  }

  syncErrors(): number {
    return Number(this.series("garbagecollector_controller_resources_sync_error_total")[0]?.split(" ").at(-1));
  }

  async define(...versions: readonly string[]): Promise<void> {
    await this.of(CustomResourceDefinitions).create({
      metadata: { name: "widgets.example.com" },
      ...definition(versions),
    });
    await this.pass(100);
  }

  async redefine(...versions: readonly string[]): Promise<void> {
    await this.of(CustomResourceDefinitions).patch("widgets.example.com", definition(versions));
    await this.pass(100);
  }
}

type Owner = Pick<StoredObject, "metadata"> & { readonly kind?: string };

/** An owner that does not exist on the server. */
export const nothing: Owner = {
  kind: "ConfigMap",
  metadata: { name: "nothing", uid: "no-such-uid" } as StoredObject["metadata"],
};

export function referenceTo({ kind = "ConfigMap", metadata }: Owner): OwnerReference {
  const apiVersion = { Widget: "example.com/v1", ReplicaSet: "apps/v1" }[kind] ?? "v1";
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid };
}

export function widgets(version: string): Resource<StoredObject> {
  return resourceHandle({ group: "example.com", version, resource: "widgets", kind: "Widget", scope: "Namespaced" });
}

/** Only the last version is served and stored. */
function definition(versions: readonly string[]): Pick<CustomResourceDefinition, "spec"> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const isLast = (name: string): boolean => name === versions.at(-1);
  return {
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: versions.map((name) => ({ name, served: isLast(name), storage: isLast(name), schema })),
    },
  };
}
