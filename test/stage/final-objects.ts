// What a play left behind on the server: the objects of every kind that the scenario or a controller wrote, and Events.

import { Events } from "#api/generated/resources/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { stringifyJson } from "#base/json.ts";
import type { Client } from "#client/client.ts";
import type { Play } from "./play.ts";
import { isEventOrLease, isWrite, listedResource } from "./requests.ts";

export async function finalObjects(
  client: Client,
  play: Play,
  tag: string,
): Promise<{ readonly objects: readonly KubeObject[]; readonly events: readonly KubeObject[] }> {
  const { signal } = new AbortController();
  const list = async (resource: Resource<KubeObject>): Promise<readonly KubeObject[]> => {
    const { items, kind: listKind = "" } = await client.resource(resource).list({}, signal);
    const own = items.filter((object) => stringifyJson(object).includes(tag));
    return own.map((object) => ({ kind: listKind.replace(/List$/, ""), ...object }));
  };
  const objects: KubeObject[] = [];
  for (const resource of resourcesOf(play)) objects.push(...(await list(resource)));
  return { objects, events: await list(Events) };
}

function resourcesOf(play: Play): Iterable<Resource<KubeObject>> {
  const byName = new Map<string, Resource<KubeObject>>();
  const add = (resource: Resource<KubeObject>): void => {
    byName.set(`${resource.group} ${resource.resource}`, resource);
  };
  for (const { write } of play.steps) add(write.resource);
  for (const event of play.phases().flat().filter(isWrite)) {
    if (!isEventOrLease(event)) add(listedResource(event));
  }
  return byName.values();
}
