// Custom resources of a play.

import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { type Resource, resourceHandle, type StoredObject } from "#api/resource.ts";
import type { Stage } from "./stage.ts";

/** Plays share the cluster, so each play has a separate API group. */
export function handle({ namespace }: Stage, kind: string): Resource<StoredObject> {
  const group = `${kind.toLowerCase()}s.${namespace}.example.com`;
  return resourceHandle({ group, version: "v1", resource: `${kind.toLowerCase()}s`, kind, scope: "Namespaced" });
}

export function definitionName({ resource, group }: Resource<StoredObject>): string {
  return `${resource}.${group}`;
}

/** Defines the kind with the given subresources and waits until it is served. */
export async function define(stage: Stage, kind: string, subresources?: object): Promise<Resource<StoredObject>> {
  const resource = handle(stage, kind);
  const name = definitionName(resource);
  const plural = resource.resource;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await stage.of(CustomResourceDefinitions).create({
    metadata: { name },
    spec: {
      group: resource.group,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema, ...(subresources && { subresources }) }],
    },
  });
  await stage
    .of(CustomResourceDefinitions)
    .until(
      name,
      ({ status }) =>
        status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true,
    );
  await stage.until(`${name} is served`, () =>
    stage
      .of(resource)
      .list()
      .then(
        () => true,
        () => false,
      ),
  );
  return resource;
}
