// Device taint rules. Upstream: pkg/registry/resource/devicetaintrule/strategy.go

import type * as taints from "#api/generated/types/resource-v1beta2.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { inner } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer, since } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { deviceTaint } from "./device-defaults.ts";

export const deviceTaintRule: SchemaOnlyKind<taints.DeviceTaintRule> = {
  key: "devicetaintrules.resource.k8s.io",
  strategy: schemaOnly({ countsGeneration: true }),
  defaults: inner("spec", inner("taint", deviceTaint)),
  printer: printer<taints.DeviceTaintRule>("Name|Key|Value|Effect|TimeAdded|Age", (rule, now) => {
    const taint = rule.spec?.taint;
    const added = taint?.timeAdded ? since(taint.timeAdded, now) : "";
    return [nameOf(rule), taint?.key ?? "", taint?.value ?? "", taint?.effect ?? "", added, ageOf(rule, now)];
  }),
  returnsDeletedObject: true,
};
