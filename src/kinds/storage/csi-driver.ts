// CSI drivers. Upstream: pkg/registry/storage/csidriver/strategy.go; pkg/apis/storage/validation; pkg/apis/storage/v1/defaults.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as storage from "#api/generated/types/storage-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { EpochMs } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, oneOf, type Path } from "#kinds/parts/checks.ts";
import { all, gated, inner, isEmpty, nil, type Rule, set } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const TOKEN_SECONDS_MAX = 2 ** 32;

const UNUSED_SECRETS_ADVICE =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

/** Fields behind a gate. */
const GATED = {
  seLinuxMount: "SELinuxMountReadWriteOncePod",
  nodeAllocatableUpdatePeriodSeconds: "MutableCSINodeAllocatableCount",
  serviceAccountTokenInSecrets: "CSIServiceAccountTokenSecrets",
  preventPodSchedulingIfMissing: "VolumeLimitScaling",
} as const;

function withoutDisabled(driver: storage.CSIDriver, old: storage.CSIDriver | undefined, gates: FeatureGateReader) {
  let spec = driver.spec ?? {};
  for (const key of Object.keys(GATED) as (keyof typeof GATED)[]) {
    if (!gates.isEnabled(GATED[key]) && old?.spec?.[key] === undefined) spec = put(spec, key, undefined);
  }
  return put(driver, "spec", spec);
}

function validateSpec(errors: Errors, spec: storage.CSIDriverSpec, gates: FeatureGateReader): void {
  const required = (key: keyof storage.CSIDriverSpec, name: string = key): void => {
    if (spec[key] === undefined) errors.push(field.required(SPEC.child(name), ""));
  };
  required("attachRequired", "attachedRequired"); // upstream misspells the path
  required("podInfoOnMount");
  required("storageCapacity");
  if (spec.fsGroupPolicy !== undefined) {
    oneOf(errors, spec.fsGroupPolicy, SPEC.child("fsGroupPolicy"), ["File", "None", "ReadWriteOnceWithFSType"]);
  }
  tokenRequests(errors, spec.tokenRequests ?? [], SPEC.child("tokenRequests"));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    oneOf(errors, mode, SPEC.child("volumeLifecycleModes"), ["Persistent", "Ephemeral"]);
  }
  if (gates.isEnabled(GATED.seLinuxMount)) required("seLinuxMount");
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < 10) {
    const path = SPEC.child("nodeAllocatableUpdatePeriodSeconds");
    errors.push(field.invalid(path, period, "must be greater than or equal to 10 seconds"));
  }
  const inSecrets = spec.serviceAccountTokenInSecrets;
  if (inSecrets !== undefined && isEmpty(spec.tokenRequests)) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    errors.push(field.invalid(SPEC.child("serviceAccountTokenInSecrets"), inSecrets, detail));
  }
  if (gates.isEnabled(GATED.preventPodSchedulingIfMissing)) required("preventPodSchedulingIfMissing");
}

function tokenRequests(errors: Errors, requests: readonly storage.TokenRequest[], path: Path): void {
  const audiences = new Set<string>();
  requests.forEach(({ audience = "", expirationSeconds }, i) => {
    const at = path.index(i);
    if (audiences.has(audience)) {
      errors.push(field.duplicate(at.child("audience"), audience));
      return;
    }
    audiences.add(audience);
    if (expirationSeconds === undefined) return;
    const invalid = (detail: string): void => {
      errors.push(field.invalid(at.child("expirationSeconds"), expirationSeconds, detail));
    };
    if (expirationSeconds < 600) invalid("may not specify a duration less than 10 minutes");
    if (expirationSeconds > TOKEN_SECONDS_MAX) invalid("may not specify a duration larger than 2^32 seconds");
  });
}

function validate(driver: storage.CSIDriver, { gates }: StrategyContext): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, driver.metadata ?? {}, false, isDns1123Subdomain, METADATA);
  validateSpec(errors, driver.spec ?? {}, gates);
  return errors;
}

function validateUpdate(driver: storage.CSIDriver, old: storage.CSIDriver, { gates }: StrategyContext) {
  const errors: Errors = [];
  objectMetaUpdate(errors, driver.metadata ?? {}, old.metadata ?? {}, METADATA);
  validateSpec(errors, driver.spec ?? {}, gates);
  const fixed = (key: "attachRequired" | "volumeLifecycleModes", name: string = key): void => {
    const value = driver.spec?.[key];
    if (!semanticEqual(value, old.spec?.[key])) errors.push(field.invalid(SPEC.child(name), value ?? null, IMMUTABLE));
  };
  fixed("attachRequired", "attachedRequired");
  fixed("volumeLifecycleModes");
  return errors;
}

function adviceOnTokens({ spec }: storage.CSIDriver, { gates }: StrategyContext): string[] {
  const isAdvised =
    gates.isEnabled(GATED.serviceAccountTokenInSecrets) &&
    !isEmpty(spec?.tokenRequests) &&
    spec?.serviceAccountTokenInSecrets === undefined;
  return isAdvised ? [UNUSED_SECRETS_ADVICE] : [];
}

const strategy = kindStrategy<storage.CSIDriver>({
  allowUnconditionalUpdate: false,
  prepareForCreate: (driver, { gates }) => withoutDisabled(driver, undefined, gates),
  validate,
  warningsOnCreate: adviceOnTokens,
  prepareForUpdate: (driver, old, { gates }) => countChange(withoutDisabled(driver, old, gates), old, "spec"),
  validateUpdate,
  warningsOnUpdate: (driver, old, ctx) =>
    semanticEqual(driver.spec?.tokenRequests, old.spec?.tokenRequests) ? [] : adviceOnTokens(driver, ctx),
});

const defaults: Rule = inner(
  "spec",
  all(
    nil({
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      requiresRepublish: false,
    }),
    (spec) => (isEmpty(spec.volumeLifecycleModes) ? set(spec, "volumeLifecycleModes", ["Persistent"]) : spec),
    gated("SELinuxMountReadWriteOncePod", nil({ seLinuxMount: false })),
    gated("VolumeLimitScaling", nil({ preventPodSchedulingIfMissing: false })),
  ),
);

function csiDriverCells(driver: storage.CSIDriver, now: EpochMs): unknown[] {
  const { spec } = driver;
  return [
    nameOf(driver),
    spec?.attachRequired ?? true,
    spec?.podInfoOnMount ?? false,
    spec?.storageCapacity ?? false,
    spec?.tokenRequests === undefined ? "<unset>" : spec.tokenRequests.map(({ audience }) => audience).join(","),
    spec?.requiresRepublish ?? false,
    orNone((spec?.volumeLifecycleModes ?? []).join(",")),
    ageOf(driver, now),
  ];
}

export const csiDriver: Kind<storage.CSIDriver> = {
  key: "csidrivers.storage.k8s.io",
  strategy,
  defaults,
  printer: printer(
    "Name|AttachRequired:boolean|PodInfoOnMount:boolean|StorageCapacity:boolean|TokenRequests|RequiresRepublish:boolean|Modes|Age",
    csiDriverCells,
  ),
  returnsDeletedObject: true,
};
