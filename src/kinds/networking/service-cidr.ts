// Service CIDRs. Upstream: pkg/registry/networking/servicecidr/strategy.go; pkg/apis/networking/validation

import * as field from "#api/field-error.ts";
import type * as networking from "#api/generated/types/networking-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, legacyCidr, type Path } from "#kinds/parts/checks.ts";
import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { formatIp, parseSloppyCidr } from "#rules/ip.ts";

const METADATA = field.newPath("metadata");
const CIDRS = field.newPath("spec", "cidrs");

function validateServiceCidr({ metadata = {}, spec }: networking.ServiceCIDR): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata, false, isDns1123Subdomain, METADATA);
  cidrs(errors, spec ?? {});
  return errors;
}

function validateServiceCidrUpdate(range: networking.ServiceCIDR, old: networking.ServiceCIDR): field.FieldError[] {
  const errors = validateServiceCidrStatusUpdate(range, old);
  const [now, before] = [range.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  const fixed = (path: Path, shown: unknown): void => {
    errors.push(field.invalid(path, shown, IMMUTABLE));
  };
  if (now.length === before.length) {
    now.forEach((cidr, i) => {
      if (cidr !== before[i]) fixed(CIDRS.index(i), cidr);
    });
  } else if (before.length === 1 && now.length === 2) {
    // Adding a second CIDR makes the object dual-stack.
    if (now[0] !== before[0]) fixed(CIDRS.index(0), now[0]);
    cidrs(errors, range.spec ?? {});
  } else fixed(CIDRS, range.spec?.cidrs ?? null);
  return errors;
}

function validateServiceCidrStatusUpdate(
  range: networking.ServiceCIDR,
  old: networking.ServiceCIDR,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, range.metadata ?? {}, old.metadata ?? {}, METADATA);
  return errors;
}

function cidrs(errors: Errors, spec: networking.ServiceCIDRSpec): void {
  const { cidrs: list = [] } = spec;
  if (list.length === 0) {
    errors.push(field.required(CIDRS, "at least one CIDR required"));
    return;
  }
  if (list.length > 2) {
    errors.push(field.invalid(CIDRS, { CIDRs: list }, "may only hold up to 2 values"));
    return;
  }
  list.forEach((cidr, i) => {
    canonicalCidr(errors, cidr, CIDRS.index(i));
  });
  const [first, second] = list.map((cidr) => parseSloppyCidr(cidr)?.family);
  if (first === undefined || first !== second) return;
  const example = "192.168.0.0/24 and 2001:db8::/64";
  errors.push(field.invalid(CIDRS, list, `may specify no more than one IP for each IP family, i.e ${example}`));
}

// Upstream: apimachinery pkg/util/validation, IsValidCIDR
function canonicalCidr(errors: Errors, value: string, path: Path): void {
  const before = errors.length;
  legacyCidr(errors, value, path, true);
  const cidr = parseSloppyCidr(value);
  if (errors.length > before || cidr === undefined) return;
  const canonical = `${formatIp(cidr.bytes)}/${cidr.prefixLength}`;
  if (value !== canonical) {
    errors.push(field.invalid(path, value, `must be in canonical form (${goQuote(canonical)})`));
  }
}

/** Without this gate, the main resource could also write the status. */
const WIPING = "ServiceCIDRStatusFieldWiping";

const strategy = kindStrategy<networking.ServiceCIDR>({
  resetFields: [["status"]],
  prepareForCreate: (range, { gates }) => (gates.isEnabled(WIPING) ? { ...range, status: {} } : range),
  validate: validateServiceCidr,
  prepareForUpdate: (range, old, { gates }) => (gates.isEnabled(WIPING) ? put(range, "status", old.status) : range),
  validateUpdate: validateServiceCidrUpdate,
  subresources: {
    status: {
      prepareForUpdate: (range, old) => ({
        ...put(range, "spec", old.spec),
        metadata: resetMetaForStatus(range.metadata, old.metadata),
      }),
      validateUpdate: validateServiceCidrStatusUpdate,
      resetFields: [["metadata"], ["spec"]],
    },
  },
});

export const serviceCidr: Kind<networking.ServiceCIDR> = {
  key: "servicecidrs.networking.k8s.io",
  strategy,
  deprecationWarning: deprecatedVersions("networking.k8s.io", "ServiceCIDR", { v1beta1: [34, 37] }),
  printer: printer<networking.ServiceCIDR>("Name|CIDRs|Age", (object, now) => [
    nameOf(object),
    (object.spec?.cidrs ?? []).join(","),
    ageOf(object, now),
  ]),
};
