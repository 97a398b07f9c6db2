// Resource slices. Upstream: pkg/registry/resource/resourceslice/strategy.go; pkg/apis/resource/v1/defaults.go

import type * as resource from "#api/generated/types/resource-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { at, each, type Rule } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { device } from "./device-defaults.ts";

const devicesOf = (rule: Rule): Rule => at("spec", each("devices", rule));

export const resourceSlice: SchemaOnlyKind<resource.ResourceSlice> = {
  key: "resourceslices.resource.k8s.io",
  strategy: schemaOnly({ countsGeneration: true }),
  defaults: { v1: devicesOf(device), v1beta1: devicesOf(at("basic", device)), v1beta2: devicesOf(device) },
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
    "spec.driver": ({ spec }) => spec?.driver ?? "",
  },
  unsupportedFieldLabel: (label, { group, version, kind }) =>
    `field label not supported for ${group}/${version}, Kind=${kind}: ${label}`,
  printer: printer<resource.ResourceSlice>("Name|Node|Driver|Pool|Age", (slice, now) => {
    const { nodeName = "", driver = "", pool } = slice.spec ?? {};
    return [nameOf(slice), nodeName, driver, pool?.name ?? "", ageOf(slice, now)];
  }),
  returnsDeletedObject: true,
};
