// Endpoints. Upstream: pkg/registry/core/endpoint/strategy.go; pkg/printers/internalversion/printers.go

import type * as core from "#api/generated/types/core-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { each, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function shown({ subsets = [] }: core.Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port = 0 }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : all.join(",");
}

export const endpoints: SchemaOnlyKind<core.Endpoints> = {
  key: "endpoints",
  etcdDirectory: "services/endpoints",
  strategy: schemaOnly({ allowCreateOnUpdate: true }),
  defaults: each("subsets", each("ports", zero({ protocol: "TCP" }))),
  printer: printer<core.Endpoints>("Name|Endpoints|Age", (object, now) => [
    nameOf(object),
    shown(object),
    ageOf(object, now),
  ]),
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};
