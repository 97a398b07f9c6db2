// Who may write which part of a claim's status: users with binding rights write allocations, drivers write the status
// of devices. Upstream: pkg/registry/resource/utils.go, AuthorizedForBinding, AuthorizedForDeviceStatus

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type { AllocationResult, ResourceClaim, ResourceClaimStatus } from "#api/generated/types/resource-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import type { StrategyContext, WriteAccess } from "#kinds/strategy.ts";
import { deviceKey } from "./allocated-devices.ts";

const NODE_NAME_KEY = "authentication.kubernetes.io/node-name";

export async function statusAccess(
  claim: ResourceClaim,
  old: ResourceClaim,
  access: WriteAccess,
  { gates }: Pick<StrategyContext, "gates">,
): Promise<field.FieldError[]> {
  if (!gates.isEnabled("DRAResourceClaimGranularStatusAuthorization")) return [];
  const [status, before] = [claim.status ?? {}, old.status ?? {}];
  const errors = await bindingAccess(status, before, access);
  // Without an allocation there is no status of devices.
  if (status.allocation === undefined || !gates.isEnabled("DRAResourceClaimDeviceStatus")) return errors;
  return [...errors, ...(await driverAccess(claim.metadata?.namespace ?? "", status, before, access))];
}

async function bindingAccess(
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  { verb, refusal }: WriteAccess,
): Promise<Errors> {
  const isSame = semanticEqual(status.allocation, old.allocation) && semanticEqual(status.reservedFor, old.reservedFor);
  const denied = isSame ? undefined : await refusal({ verb, subresource: "binding", namespace: "", name: "" });
  if (denied === undefined) return [];
  const needed = `resource="resourceclaims/binding", verb="${verb}"`;
  const detail = `changing status.allocation or status.reservedFor requires ${needed} permission: ${denied}`;
  return [field.forbidden(field.newPath("status", "allocation"), detail)];
}

async function driverAccess(
  namespace: string,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  { user, verb, refusal }: WriteAccess,
): Promise<Errors> {
  const errors: Errors = [];
  const verbs = [`arbitrary-node:${verb}`];
  if (isOnNode(user, nodeOf(status.allocation))) verbs.unshift(`associated-node:${verb}`);
  for (const driver of changedDrivers(status, old)) {
    let denied: string | undefined;
    for (const each of verbs) {
      const answer = await refusal({ verb: each, subresource: "driver", namespace, name: driver });
      if (answer === undefined) {
        denied = undefined;
        break;
      }
      denied ??= answer;
    }
    if (denied === undefined) continue;
    const needed = `resource="resourceclaims/driver", verb="[${verbs.join(" ")}]"`;
    const detail = `changing status.devices requires ${needed} permission: ${denied}`;
    errors.push(field.forbidden(field.newPath("status", "devices"), detail));
  }
  return errors;
}

function changedDrivers({ devices = [] }: ResourceClaimStatus, { devices: old = [] }: ResourceClaimStatus): string[] {
  const drivers = new Set<string>();
  const rest = new Map(old.map((device) => [deviceKey(device), device]));
  for (const device of devices) {
    const key = deviceKey(device);
    const before = rest.get(key);
    rest.delete(key);
    if (before === undefined || !semanticEqual(before, device)) drivers.add(device.driver ?? "");
  }
  for (const { driver = "" } of rest.values()) drivers.add(driver);
  return [...drivers].sort();
}

/** The only node on which an allocation can be used; "" if there are several. */
function nodeOf(allocation: AllocationResult | undefined): string {
  const [term, ...terms] = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  if (term === undefined || terms.length > 0 || (term.matchExpressions ?? []).length > 0) return "";
  const [match, ...matches] = term.matchFields ?? [];
  if (match === undefined || matches.length > 0 || match.key !== "metadata.name" || match.operator !== "In") return "";
  const [name = "", ...names] = match.values ?? [];
  return names.length > 0 ? "" : name;
}

/** A service account token contains the node of its pod. */
function isOnNode({ name, extra }: UserInfo, node: string): boolean {
  const [own = "", ...others] = extra?.[NODE_NAME_KEY] ?? [];
  if (node === "" || !/^system:serviceaccount:[^:]+:[^:]+$/.test(name) || others.length > 0) return false;
  return own === node && isDns1123Subdomain(own).length === 0;
}
