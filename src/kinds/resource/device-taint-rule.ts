// Device taint rules. Upstream: pkg/registry/resource/devicetaintrule/strategy.go; pkg/apis/resource/validation

import * as field from "#api/field-error.ts";
import type * as taints from "#api/generated/types/resource-v1beta2.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { dnsLabel, type Errors } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import { inner } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration, put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer, since } from "#kinds/parts/printer.ts";
import { csiDriverName } from "#kinds/pod-spec/volume-sources.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { alphaWarnings } from "./deprecated-versions.ts";
import { poolName, deviceTaint as taintChecks } from "./device-checks.ts";
import { deviceTaint } from "./device-defaults.ts";

type Rule = taints.DeviceTaintRule;

const METADATA = field.newPath("metadata");
const SELECTOR = field.newPath("spec", "deviceSelector");
const TAINT = field.newPath("spec", "taint");
const CONDITIONS = field.newPath("status", "conditions");
const CONDITIONS_MAX = 8;

function specChecks(errors: Errors, { spec }: Rule, old: Rule | undefined): void {
  const { driver, pool, device } = spec?.deviceSelector ?? {};
  if (driver !== undefined) csiDriverName(errors, driver, SELECTOR.child("driver"));
  if (pool !== undefined) poolName(errors, pool, SELECTOR.child("pool"));
  if (device !== undefined) dnsLabel(errors, device, SELECTOR.child("device"));
  taintChecks(errors, spec?.taint ?? { key: "", effect: "" }, old?.spec?.taint, TAINT);
}

function validate(rule: Rule): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, rule.metadata ?? {}, false, isDns1123Subdomain, METADATA);
  specChecks(errors, rule, undefined);
  return errors;
}

function validateUpdate(rule: Rule, old: Rule): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, rule.metadata ?? {}, old.metadata ?? {}, METADATA);
  specChecks(errors, rule, old);
  return errors;
}

function validateStatus(rule: Rule, old: Rule): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, rule.metadata ?? {}, old.metadata ?? {}, METADATA);
  const given = rule.status?.conditions ?? [];
  conditions(errors, given, CONDITIONS);
  if (given.length > CONDITIONS_MAX) errors.push(field.tooMany(CONDITIONS, given.length, CONDITIONS_MAX));
  return errors;
}

/** Sets the taint's time when the effect changes, unless the client sets it. */
function withTimeOfEffect(rule: Rule, old: Rule, now: EpochMs): Rule {
  const [taint, before] = [rule.spec?.taint, old.spec?.taint];
  if (taint === undefined || taint.effect === before?.effect || taint.timeAdded !== before?.timeAdded) return rule;
  return { ...rule, spec: { ...rule.spec, taint: { ...taint, timeAdded: formatTime(now) } } };
}

const strategy = kindStrategy<Rule>({
  resetFields: [["status"]],
  prepareForCreate: (rule) => firstGeneration({ ...rule, status: {} }),
  validate,
  prepareForUpdate: (rule, old, { now }) =>
    countChange(withTimeOfEffect(put(rule, "status", old.status), old, now), old, "spec"),
  validateUpdate,
  subresources: {
    status: {
      prepareForUpdate: (rule, old) => ({
        ...rule,
        spec: old.spec,
        metadata: resetMetaForStatus(rule.metadata, old.metadata),
      }),
      validateUpdate: validateStatus,
      resetFields: [["metadata"], ["spec"]],
    },
  },
});

export const deviceTaintRule: Kind<Rule> = {
  key: "devicetaintrules.resource.k8s.io",
  strategy,
  defaults: inner("spec", inner("taint", deviceTaint)),
  printer: printer<Rule>("Name|Key|Value|Effect|TimeAdded|Age", (rule, now) => {
    const taint = rule.spec?.taint;
    const added = taint?.timeAdded ? since(taint.timeAdded, now) : "";
    return [nameOf(rule), taint?.key ?? "", taint?.value ?? "", taint?.effect ?? "", added, ageOf(rule, now)];
  }),
  unprintedSubresources: ["status"],
  deprecationWarning: alphaWarnings("DeviceTaintRule"),
  returnsDeletedObject: true,
};
