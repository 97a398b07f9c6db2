// Cluster addresses and address families of services, and how they may change.
// Upstream: pkg/apis/core/validation, ValidateServiceClusterIPsRelatedFields, validateUpgradeDowngradeClusterIPs

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type Errors, legacyIp, oneOf } from "#kinds/parts/checks.ts";
import { isDualStack, parseSloppyIp } from "#rules/ip.ts";

const SPEC = field.newPath("spec");
const IPS = SPEC.child("clusterIPs");
const FAMILIES = SPEC.child("ipFamilies");
const POLICY = SPEC.child("ipFamilyPolicy");

export const isHeadless = ({ clusterIPs = [] }: core.ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === "None";

const isIpv6 = (ip: string): boolean => parseSloppyIp(ip)?.family === 6;

export function clusterIps(
  errors: Errors,
  spec: core.ServiceSpec,
  old: core.ServiceSpec | undefined,
  isStrict: boolean,
): void {
  if (spec.type === "ExternalName") return;
  const { clusterIP = "", clusterIPs: ips = [], ipFamilies: families = [] } = spec;
  if (clusterIP === "") {
    if (ips.length > 0) errors.push(field.invalid(IPS, ips, "must be empty when `clusterIP` is not specified"));
  } else if (ips.length === 0) errors.push(field.required(IPS, ""));
  else if (ips[0] !== clusterIP) errors.push(field.invalid(IPS, ips, "first value must match `clusterIP`"));
  families.forEach((family, i) => {
    oneOf(errors, family, FAMILIES.index(i), ["IPv4", "IPv6"]);
    if (families.indexOf(family) < i) errors.push(field.duplicate(FAMILIES.index(i), family));
  });
  if (spec.ipFamilyPolicy !== undefined) {
    oneOf(errors, spec.ipFamilyPolicy, POLICY, ["PreferDualStack", "RequireDualStack", "SingleStack"]);
  }
  const isValid = addresses(errors, ips, old?.clusterIPs ?? [], isStrict);
  if (ips.length > 2) errors.push(field.invalid(IPS, ips, "may only hold up to 2 values"));
  if (!isValid) return;
  if (ips.length > 1 && !isDualStack(ips.map((ip) => parseSloppyIp(ip)?.family))) {
    errors.push(field.invalid(IPS, ips, "may specify no more than one IP for each IP family"));
  }
  if (!isHeadless(spec)) familiesMatch(errors, ips, families);
}

function addresses(errors: Errors, ips: readonly string[], known: readonly string[], isStrict: boolean): boolean {
  let isValid = true;
  ips.forEach((ip, i) => {
    const before = errors.length;
    if (i === 0 && ip === "None") {
      if (ips.length > 1) errors.push(field.invalid(IPS, ips, "'None' must be the first and only value"));
    } else legacyIp(errors, ip, IPS.index(i), isStrict, known);
    isValid &&= errors.length === before;
  });
  return isValid;
}

function familiesMatch(errors: Errors, ips: readonly string[], families: readonly string[]): void {
  ips.forEach((ip, i) => {
    const family = families[i];
    const isWrong = (family === "IPv4" && isIpv6(ip)) || (family === "IPv6" && !isIpv6(ip));
    if (!isWrong) return;
    errors.push(field.invalid(IPS.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``));
  });
}

export function clusterIpsUpdate(errors: Errors, spec: core.ServiceSpec, old: core.ServiceSpec): void {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return;
  const [isNow, wasBefore] = [isHeadless(spec), isHeadless(old)];
  if (!isNow || !wasBefore) ipsUpdate(errors, spec, old);
  if (!isNow && !wasBefore) familiesUpdate(errors, spec, old);
}

const singleStack = (errors: Errors, spec: core.ServiceSpec, what: string): void => {
  if (spec.ipFamilyPolicy === "SingleStack") return;
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  errors.push(field.invalid(POLICY, spec.ipFamilyPolicy ?? null, detail));
};

function ipsUpdate(errors: Errors, spec: core.ServiceSpec, old: core.ServiceSpec): void {
  const [ips, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []];
  const shown = spec.clusterIPs ?? null;
  const fixed = (i: number): void => {
    errors.push(field.invalid(IPS.index(i), shown, "may not change once set"));
  };
  if (before.length === ips.length) {
    before.forEach((ip, i) => {
      if (ip !== ips[i]) fixed(i);
    });
    return;
  }
  if (ips.length === 0) errors.push(field.invalid(IPS.index(0), shown, "primary clusterIP can not be unset"));
  if (before.length > 0 && ips.length > 0 && before[0] !== ips[0]) fixed(0);
  if (before.length > ips.length && ips.length === 1) singleStack(errors, spec, "clusterIP");
}

// As upstream, two of these errors show the addresses instead of the families.
function familiesUpdate(errors: Errors, spec: core.ServiceSpec, old: core.ServiceSpec): void {
  const [families, before] = [spec.ipFamilies ?? [], old.ipFamilies ?? []];
  const fixed = (shown: unknown): void => {
    errors.push(field.invalid(FAMILIES.index(0), shown ?? null, "may not change once set"));
  };
  if (before.length === families.length) {
    before.forEach((family, i) => {
      if (family !== families[i]) fixed(spec.ipFamilies);
    });
    return;
  }
  if (before.length > families.length && (spec.clusterIPs ?? []).length === 0) {
    errors.push(field.invalid(FAMILIES.index(0), spec.ipFamilies ?? null, "primary ipFamily can not be unset"));
  }
  if (before.length > 0 && families.length > 0 && before[0] !== families[0]) fixed(spec.clusterIPs);
  if (before.length > families.length && families.length === 1) singleStack(errors, spec, "ipFamily");
}
