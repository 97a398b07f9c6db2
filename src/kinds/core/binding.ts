// Bindings: posted, never stored. The pod that a binding names is bound to its node.
// Upstream: pkg/registry/core/pod/storage/storage.go, LegacyBindingREST

import type { Kind } from "#kinds/kind.ts";
import { neverStored } from "#kinds/strategy.ts";
import { namedPodBinding } from "./pod-binding.ts";

export const binding: Kind = {
  key: "bindings",
  strategy: neverStored,
  hooks: (server) => ({ answered: namedPodBinding(server) }),
};
