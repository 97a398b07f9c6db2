// What a play left behind on the server: the objects of every kind that the scenario or a controller wrote, and Events.

import type { KubeObject } from "#api/object.ts";
import { stringifyJson } from "#base/json.ts";
import type { Client } from "#client/client.ts";
import type { Play } from "./play.ts";
import { isEventOrLease, isWrite } from "./requests.ts";

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export async function finalObjects(
  client: Client,
  play: Play,
  tag: string,
): Promise<{ readonly objects: readonly KubeObject[]; readonly events: readonly KubeObject[] }> {
  const { signal } = new AbortController();
  const list = async (kind: Kind): Promise<readonly KubeObject[]> => {
    const { items, kind: listKind = "" } = await client.resource<KubeObject>(kind).list({}, signal);
    const own = items.filter((object) => stringifyJson(object).includes(tag));
    return own.map((object) => ({ kind: listKind.replace(/List$/, ""), ...object }));
  };
  const objects: KubeObject[] = [];
  for (const kind of kindsOf(play).values()) objects.push(...(await list(kind)));
  return { objects, events: await list({ group: "", version: "v1", resource: "events" }) };
}

function kindsOf(play: Play): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  const add = (kind: Kind): void => {
    kinds.set(`${kind.group} ${kind.resource}`, kind);
  };
  for (const { write } of play.steps) {
    const { group, version, resource } = write.resource;
    add({ group, version, resource });
  }
  for (const event of play.phases().flat().filter(isWrite)) {
    const { apiGroup = "", apiVersion = "", resource = "" } = event.objectRef ?? {};
    if (!isEventOrLease(event)) add({ group: apiGroup, version: apiVersion, resource });
  }
  return kinds;
}
