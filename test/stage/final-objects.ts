// The objects that a play leaves on the server: all kinds that the scenario or a controller wrote, and the Events of
// the controllers under comparison.

import { Events } from "#api/generated/resources/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { stringifyJson } from "#base/json.ts";
import type { Client } from "#client/client.ts";
import type { Play } from "./play.ts";
import { identityOf, isEventOrLease, isReview, isWrite, listedResource, writeOf } from "./requests.ts";

export async function finalObjects(
  client: Client,
  play: Play,
  tag: string,
  identities: ReadonlySet<string>,
): Promise<{ readonly objects: readonly KubeObject[]; readonly events: readonly KubeObject[] }> {
  const { signal } = new AbortController();
  const list = async (resource: Resource<KubeObject>): Promise<readonly KubeObject[]> => {
    const { items, kind: listKind = "" } = await client.resource(resource).list({}, signal);
    const own = items.filter((object) => stringifyJson(object).includes(tag));
    return own.map((object) => ({ kind: listKind.replace(/List$/, ""), ...object }));
  };
  const objects: KubeObject[] = [];
  for (const resource of resourcesOf(play)) {
    // Several controllers write a Node, at different times. Their writes are compared one by one instead.
    if (resource.resource !== "nodes") objects.push(...(await list(resource)));
  }
  const recorded = eventNames(play, identities);
  const events = await list(Events);
  return { objects, events: events.filter(({ metadata }) => recorded.has(metadata?.name ?? "")) };
}

/** The names of the Events that these identities wrote. */
function eventNames(play: Play, identities: ReadonlySet<string>): ReadonlySet<string> {
  const own = play
    .phases()
    .flat()
    .filter((event) => identities.has(identityOf(event) ?? ""));
  return new Set(
    own
      .filter(isWrite)
      .filter(({ objectRef }) => objectRef?.resource === "events")
      .map((event) => writeOf(event).name),
  );
}

function resourcesOf(play: Play): Iterable<Resource<KubeObject>> {
  const byName = new Map<string, Resource<KubeObject>>();
  const add = (resource: Resource<KubeObject>): void => {
    byName.set(`${resource.group} ${resource.resource}`, resource);
  };
  for (const { write } of play.steps) add(write.resource);
  for (const event of play.phases().flat().filter(isWrite)) {
    if (!isEventOrLease(event) && !isReview(event)) add(listedResource(event));
  }
  return byName.values();
}
