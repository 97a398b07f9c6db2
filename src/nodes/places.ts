// The containers of a pod with their part in it.

import type { Container, ContainerStatus, Pod } from "#api/generated/types/core-v1.ts";
import { isSidecar } from "#rules/container-resources.ts";

/** init: has work that ends before the next container starts. sidecar: an init container that goes on. */
export type Role = "init" | "sidecar" | "main";

export interface Place {
  readonly container: Container;
  readonly role: Role;
}

export const initPlaces = ({ spec }: Pod): readonly Place[] =>
  (spec?.initContainers ?? []).map((container) => ({ container, role: isSidecar(container) ? "sidecar" : "init" }));

export const mainPlaces = ({ spec }: Pod): readonly Place[] =>
  (spec?.containers ?? []).map((container) => ({ container, role: "main" }));

export function statusAt({ status }: Pod, { container, role }: Place): ContainerStatus | undefined {
  const statuses = role === "main" ? status?.containerStatuses : status?.initContainerStatuses;
  return statuses?.find(({ name }) => name === container.name);
}

/** It runs, or has run. */
export const hasBegun = ({ state, lastState }: ContainerStatus): boolean =>
  (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined;
