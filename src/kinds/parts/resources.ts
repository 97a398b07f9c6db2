// Resource names, and resource requirements of containers and pods.
// Upstream: pkg/apis/core/validation, validateResourceRequirements; pkg/apis/core/helper

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isQualifiedName } from "#api/names.ts";
import type { Quantity } from "#api/quantity.ts";
import { parseQuantity } from "#api/quantity-parser.ts";
import { dnsLabel, type Errors, NOT_NEGATIVE, name, type Path } from "./checks.ts";
import { amount, type WireAmounts } from "./quantities.ts";

const COUNTED = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
const QUOTA = new Set([
  ...COMPUTE,
  ...COMPUTE.map((resource) => `requests.${resource}`),
  ...COMPUTE.map((resource) => `limits.${resource}`),
  "requests.storage",
  ...COUNTED,
]);
const STANDARD = new Set([...QUOTA, "storage"]);
const INTEGER = new Set(COUNTED);

const isPlain = (resource: string): boolean => !resource.includes("/");
export const isHugePage = (resource: string): boolean => resource.startsWith("hugepages-");
const isQuotaHugePage = (resource: string): boolean =>
  isHugePage(resource) || resource.startsWith("requests.hugepages-");
export const isNativeResource = (resource: string): boolean => isPlain(resource) || resource.includes("kubernetes.io/");
export const isOvercommitAllowed = (resource: string): boolean => isNativeResource(resource) && !isHugePage(resource);
export const isStandardQuotaResource = (resource: string): boolean => QUOTA.has(resource) || isQuotaHugePage(resource);
const isStandard = (resource: string): boolean => STANDARD.has(resource) || isQuotaHugePage(resource);
export const isExtendedResource = (resource: string): boolean =>
  !isNativeResource(resource) &&
  !resource.startsWith("requests.") &&
  isQualifiedName(`requests.${resource}`).length === 0;
const isInteger = (resource: string): boolean => INTEGER.has(resource) || isExtendedResource(resource);

export type ResourceNameCheck = (errors: Errors, resource: string, path: Path) => void;

export const resourceName: ResourceNameCheck = (errors, resource, path) => {
  const before = errors.length;
  name(errors, resource, path, isQualifiedName);
  if (errors.length === before && isPlain(resource) && !isStandard(resource)) {
    errors.push(field.invalid(path, resource, "must be a standard resource type or fully qualified"));
  }
};

export const containerResourceName: ResourceNameCheck = (errors, resource, path) => {
  resourceName(errors, resource, path);
  if (isPlain(resource)) {
    if (!COMPUTE.includes(resource) && !isHugePage(resource)) {
      errors.push(field.invalid(path, resource, "must be a standard resource for containers"));
    }
  } else if (!isNativeResource(resource) && !isExtendedResource(resource)) {
    errors.push(field.invalid(path, resource, "doesn't follow extended resource name standard"));
  }
};

export const podResourceName: ResourceNameCheck = (errors, resource, path) => {
  const before = errors.length;
  resourceName(errors, resource, path);
  if (errors.length === before && resource !== "cpu" && resource !== "memory" && !isHugePage(resource)) {
    errors.push(field.notSupported(path, resource, ["cpu", "hugepages-", "memory"]));
  }
};

export const quotaResourceName: ResourceNameCheck = (errors, resource, path) => {
  resourceName(errors, resource, path);
  if (isPlain(resource) && !isStandardQuotaResource(resource)) {
    errors.push(field.invalid(path, resource, "must be a standard resource for quota"));
  }
};

export function resourceQuantity(errors: Errors, resource: string, quantity: Quantity, path: Path): void {
  if (quantity.sign < 0) errors.push(field.invalid(path, quantity.toString(), NOT_NEGATIVE));
  if (isInteger(resource) && quantity.scaledInt64(-3) % 1000n !== 0n) {
    errors.push(field.invalid(path, quantity, "must be an integer"));
  }
}

function hugePageQuantity(errors: Errors, resource: string, quantity: Quantity, path: Path): void {
  if (isDivisibleByPage(resource, quantity)) return;
  const detail = `${quantity} is not positive integer multiple of ${resource}`;
  errors.push(field.invalid(path, quantity.toString(), detail));
}

export function isDivisibleByPage(resource: string, quantity: Quantity): boolean {
  let page: Quantity;
  try {
    page = parseQuantity(resource.slice("hugepages-".length));
  } catch {
    return false; // The name contains no page size.
  }
  if (page.sign <= 0 || page.scaledInt64(-3) % 1000n !== 0n) return false;
  return quantity.scaledInt64(0) % page.scaledInt64(0) === 0n;
}

export interface RequirementsOptions {
  readonly allowIndivisibleHugePages: boolean;
}

export function requirements(
  errors: Errors,
  { limits = {}, requests = {}, claims = [] }: core.ResourceRequirements,
  path: Path,
  checkName: ResourceNameCheck,
  claimNames: ReadonlySet<string>,
  opts: RequirementsOptions,
): void {
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const one = (resource: string, map: WireAmounts, at: Path): Quantity => {
    const quantity = amount(map[resource] ?? "0");
    checkName(errors, resource, at);
    resourceQuantity(errors, resource, quantity, at);
    return quantity;
  };
  const huge = (resource: string, quantity: Quantity, at: Path): void => {
    if (isHugePage(resource) && !opts.allowIndivisibleHugePages) hugePageQuantity(errors, resource, quantity, at);
  };
  for (const resource in limits) {
    const at = path.child("limits").key(resource);
    huge(resource, one(resource, limits, at), at);
  }
  for (const resource in requests) {
    const at = path.child("requests").key(resource);
    const quantity = one(resource, requests, at);
    requestWithinLimit(errors, resource, quantity, limits, path);
    huge(resource, quantity, at);
  }
  const hasCompute = names.some((resource) => resource === "cpu" || resource === "memory");
  if (!hasCompute && names.some(isHugePage)) errors.push(field.forbidden(path, "HugePages require cpu or memory"));
  claimsOfContainer(errors, claims, claimNames, path.child("claims"));
}

function requestWithinLimit(
  errors: Errors,
  resource: string,
  request: Quantity,
  limits: WireAmounts,
  path: Path,
): void {
  const canOvercommit = isOvercommitAllowed(resource);
  if (!Object.hasOwn(limits, resource)) {
    if (!canOvercommit) {
      errors.push(field.required(path.child("limits"), "Limit must be set for non overcommitable resources"));
    }
    return;
  }
  const limit = amount(limits[resource] ?? "0");
  const order = request.cmp(limit);
  const requestsPath = path.child("requests");
  if (order !== 0 && !canOvercommit) {
    errors.push(field.invalid(requestsPath, request.toString(), `must be equal to ${resource} limit of ${limit}`));
  } else if (order > 0) {
    const detail = `must be less than or equal to ${resource} limit of ${limit}`;
    errors.push(field.invalid(requestsPath, request.toString(), detail));
  }
}

function claimsOfContainer(
  errors: Errors,
  claims: readonly core.ResourceClaim[],
  podClaims: ReadonlySet<string>,
  path: Path,
): void {
  const seen = new Set<string>();
  claims.forEach(({ name: claim = "", request = "" }, i) => {
    const at = path.index(i);
    if (claim === "") {
      errors.push(field.required(at, ""));
      return;
    }
    if (seen.has(claim)) errors.push(field.duplicate(at, claim));
    else {
      const key = request === "" ? claim : `${claim}/${request}`;
      if (request !== "") dnsLabel(errors, request, at.child("request"));
      if (seen.has(key)) errors.push(field.duplicate(at, key));
      else if (request === "") {
        for (const other of seen) if (other.startsWith(`${claim}/`)) errors.push(field.duplicate(at, claim));
      }
      seen.add(key);
    }
    if (podClaims.has(claim)) return;
    const names = podClaims.size === 0 ? " which is empty" : `: ${[...podClaims].sort().join(", ")}`;
    const detail = `must be one of the names in pod.spec.resourceClaims${names}`;
    errors.push({ ...field.notFound(at, claim), detail });
  });
}
