// Steps with namespaces, for scenarios of many controllers.

import { Namespaces } from "#api/generated/resources/core-v1.ts";
import type { Stage } from "./stage.ts";

/** Creates a second namespace of the play and returns its name. */
export async function createNamespace(stage: Stage, base: string): Promise<string> {
  const { metadata } = await stage.of(Namespaces).create({ metadata: { name: stage.name(base) } });
  return metadata.name;
}

/** Marks the play's namespace for deletion. Without a namespace controller it stays in that state. */
export async function terminateNamespace(stage: Stage): Promise<void> {
  await stage.of(Namespaces).delete(stage.namespace);
  await stage.of(Namespaces).until(stage.namespace, ({ status }) => status?.phase === "Terminating");
}
