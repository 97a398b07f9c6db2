// The containers of a pod with their roles.

import type { Container, ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { isSidecar } from "#rules/container-resources.ts";

/**
 * init: its work ends before the next container starts. sidecar: an init container that keeps running. ephemeral: added
 * to the pod later.
 */
type Role = "init" | "sidecar" | "main" | "ephemeral";

export interface Place {
  readonly container: Container;
  readonly role: Role;
}

export const initPlaces = ({ spec }: Pod): readonly Place[] =>
  (spec?.initContainers ?? []).map((container) => ({ container, role: isSidecar(container) ? "sidecar" : "init" }));

export const mainPlaces = ({ spec }: Pod): readonly Place[] =>
  (spec?.containers ?? []).map((container) => ({ container, role: "main" }));

export const ephemeralPlaces = ({ spec }: Pod): readonly Place[] =>
  (spec?.ephemeralContainers ?? []).map((container) => ({ container, role: "ephemeral" }));

const lists = {
  init: ["initContainers", "initContainerStatuses"],
  sidecar: ["initContainers", "initContainerStatuses"],
  main: ["containers", "containerStatuses"],
  ephemeral: ["ephemeralContainers", "ephemeralContainerStatuses"],
} as const;

/** The container's field path in its pod: "spec.containers{main}". */
export const fieldPathOf = ({ container, role }: Place): string => `spec.${lists[role][0]}{${container.name}}`;

export function statusAt({ status }: Pod, { container, role }: Place): ContainerStatus | undefined {
  return status?.[lists[role][1]]?.find(({ name }) => name === container.name);
}

/** True if it runs or has run. */
export const hasBegun = ({ state, lastState }: ContainerStatus): boolean =>
  (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined;
