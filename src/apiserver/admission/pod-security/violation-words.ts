// Texts that name the violating parts of a pod.

import type { Container, EphemeralContainer, PodSpec } from "#api/generated/types/core-v1.ts";

/** Init containers first, ephemeral ones last. */
export function containersOf(spec: PodSpec): readonly (Container | EphemeralContainer)[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** Not escaped. */
export const quoted = (names: readonly string[]): string => (names.length === 0 ? "" : `"${names.join('", "')}"`);

/** 'container "a"' or 'containers "a", "b"'. */
export const containersText = (names: readonly string[]): string =>
  `${plural("container", "containers", names.length)} ${quoted(names)}`;

/** The pod and the containers that set a field, joined as in a sentence. */
export function settersText(isPod: boolean, containers: readonly string[]): string {
  return [...(isPod ? ["pod"] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(" and ");
}

export const sortedSet = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort();

export const namesOf = (list: readonly { readonly name?: string }[]): readonly string[] =>
  list.map(({ name }) => name ?? "");
