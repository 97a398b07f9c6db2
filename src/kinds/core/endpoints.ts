// Endpoints. Upstream: pkg/registry/core/endpoint/strategy.go; pkg/printers/internalversion/printers.go

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { each, zero } from "#kinds/parts/defaulting.ts";
import { ipWarnings } from "#kinds/parts/ip-warnings.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { validateEndpoints, validateEndpointsUpdate } from "./endpoints-validation.ts";

const MANAGED_BY = "endpoints.kubernetes.io/managed-by";

/** The endpoints controller writes canonical addresses, so its objects are not checked. */
function warnings({ metadata, subsets = [] }: core.Endpoints): string[] {
  if (metadata?.labels?.[MANAGED_BY] === "endpoint-controller") return [];
  return subsets.flatMap((subset, i) =>
    (["addresses", "notReadyAddresses"] as const).flatMap((part) =>
      (subset[part] ?? []).flatMap(({ ip = "" }, j) =>
        ipWarnings(ip, field.newPath("subsets").index(i).child(part).index(j).child("ip")),
      ),
    ),
  );
}

const strategy = kindStrategy<core.Endpoints>({
  allowCreateOnUpdate: true,
  validate: (endpoints, { gates }) => validateEndpoints(endpoints, gates.isEnabled("StrictIPCIDRValidation")),
  validateUpdate: (endpoints, old, { gates }) =>
    validateEndpointsUpdate(endpoints, old, gates.isEnabled("StrictIPCIDRValidation")),
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
});

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

export const endpoints: Kind<core.Endpoints> = {
  key: "endpoints",
  etcdDirectory: "services/endpoints",
  strategy,
  defaults: each("subsets", each("ports", zero({ protocol: "TCP" }))),
  printer: printer<core.Endpoints>("Name|Endpoints|Age", (object, now) => [
    nameOf(object),
    shown(object),
    ageOf(object, now),
  ]),
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};
