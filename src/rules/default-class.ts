// The default class for objects without a class: storage classes and ingress classes mark it by annotation.

import type { KubeObject } from "#api/object.ts";
import type { StoredCluster } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";

/** Of several default classes the newest wins; of equally old ones the first by name. */
export function newestDefault<T extends KubeObject>(
  classes: readonly StoredCluster<T>[],
  annotations: readonly string[],
): StoredCluster<T> | undefined {
  const defaults = classes.filter(({ metadata }) =>
    annotations.some((name) => metadata.annotations?.[name] === "true"),
  );
  const createdAt = ({ metadata }: StoredCluster<T>): number => parseTime(metadata.creationTimestamp);
  return defaults.toSorted((a, b) => createdAt(b) - createdAt(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}
