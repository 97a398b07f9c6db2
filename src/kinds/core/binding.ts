// Bindings, which bind the named pod to a node. Never stored.
// Upstream: pkg/registry/core/pod/storage/storage.go, LegacyBindingREST

import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";
import { namedPodBinding } from "./pod-binding.ts";

export const binding: Kind = {
  key: "bindings",
  strategy: neverStored,
  hooks: (server) => ({ answered: namedPodBinding(server) }),
};
