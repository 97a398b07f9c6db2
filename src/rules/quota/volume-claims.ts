// Quota of persistent volume claims: their number and storage, in total and by storage class.
// Upstream: pkg/quota/v1/evaluator/core/persistent_volume_claims.go

import type { PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import { type Quantity, quantityOf } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { QuotaEvaluator } from "#rules/quota/evaluator.ts";
import { namesMatchScope } from "#rules/quota/scopes.ts";
import type { Amounts } from "#rules/resource-amounts.ts";

const CLASS_SUFFIX = ".storageclass.storage.k8s.io/";
const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";

const isClaimResource = (name: string): boolean =>
  name === "count/persistentvolumeclaims" ||
  ["persistentvolumeclaims", "requests.storage"].some((base) => name === base || name.endsWith(CLASS_SUFFIX + base));

export const volumeClaimQuota: QuotaEvaluator = {
  resource: { group: "", resource: "persistentvolumeclaims" },
  matchingResources: (names) => names.filter(isClaimResource),
  handles: ({ operation, subresource }) =>
    subresource === "" ? operation === "CREATE" || operation === "UPDATE" : subresource === "status",
  matchesScope: (scope, object) =>
    scope.scopeName === "VolumeAttributesClass" &&
    namesMatchScope(scope, attributesClasses(object as PersistentVolumeClaim)),
  usage: (object) => claimUsage(object as PersistentVolumeClaim),
};

function claimUsage(claim: PersistentVolumeClaim): Amounts {
  const usage: Amounts = new Map([
    ["persistentvolumeclaims", quantityOf(1)],
    ["count/persistentvolumeclaims", quantityOf(1)],
  ]);
  const className = claim.metadata?.annotations?.[BETA_CLASS] ?? claim.spec?.storageClassName ?? "";
  const byClass = className === "" ? undefined : className + CLASS_SUFFIX;
  if (byClass !== undefined) usage.set(`${byClass}persistentvolumeclaims`, quantityOf(1));
  const storage = chargedStorage(claim);
  if (storage === undefined) return usage;
  usage.set("requests.storage", storage);
  if (byClass !== undefined) usage.set(`${byClass}requests.storage`, storage);
  return usage;
}

/** The larger of the request and the allocation of an expansion in progress, in whole bytes. */
function chargedStorage(claim: PersistentVolumeClaim): Quantity | undefined {
  const request = claim.spec?.resources?.requests?.storage;
  if (request === undefined) return undefined;
  const wanted = wholeBytes(quantityFromWire(request));
  const allocated = claim.status?.allocatedResources?.storage;
  if (allocated === undefined) return wanted;
  const had = quantityFromWire(allocated);
  return had.cmp(wanted) > 0 ? wholeBytes(had) : wanted;
}

function wholeBytes(amount: Quantity): Quantity {
  const rounded = amount.roundUp(0);
  return rounded.equals(amount) ? amount : rounded;
}

/** The current, requested and target classes of the claim. */
function attributesClasses({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[];
}
