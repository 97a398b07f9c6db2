// ComponentStatuses: the health of components, probed at each read.
// Upstream: pkg/registry/core/componentstatus; pkg/printers/internalversion/printers.go

import type * as core from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { newNotFound } from "#api/status-error.ts";
import type { ComponentHealth } from "#kinds/hooks.ts";
import type { Kind } from "#kinds/kind.ts";
import { nameOf, printer } from "#kinds/parts/printer.ts";
import { neverStored } from "#kinds/strategy.ts";

function componentCells({ conditions, ...rest }: core.ComponentStatus): unknown[] {
  const healthy = conditions?.find(({ type }) => type === "Healthy");
  const word = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
  return [nameOf(rest), word, healthy?.message ?? "", healthy?.error ?? ""];
}

function statusOf(name: string, { isHealthy, message }: ComponentHealth): KubeObject {
  const condition = { type: "Healthy", status: isHealthy ? "True" : "False", ...(message && { message }) };
  return { apiVersion: "v1", kind: "ComponentStatus", metadata: { name }, conditions: [condition] } as KubeObject;
}

export const componentStatus: Kind = {
  key: "componentstatuses",
  strategy: neverStored,
  hooks: ({ components }) => ({
    observed: {
      async get(name, signal) {
        const probe = Object.hasOwn(components, name) ? components[name] : undefined;
        if (probe === undefined) throw newNotFound({ group: "", resource: "componentstatus" }, name);
        return statusOf(name, await probe(signal));
      },
      list: (signal) =>
        Promise.all(
          Object.entries(components)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(async ([name, probe]) => statusOf(name, await probe(signal))),
        ),
    },
  }),
  printer: printer("Name|Status|Message|Error", componentCells),
  deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+",
};
