// Small checks that kinds share. A check appends its errors to `errors`, in upstream's order. Absent fields are
// undefined and count as Go's zero values.

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import type { Int64 } from "#api/int64.ts";
import type { LabelSelector, LabelSelectorRequirement } from "#api/meta.ts";
import {
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  type NameCheck,
  regexMessage,
} from "#api/names.ts";
import { isIpAddress, isIpPrefix, parseSloppyCidr, parseSloppyIp } from "#rules/ip.ts";

export type Errors = field.FieldError[];
export type Path = field.FieldPath;
export type StringMap = Readonly<Record<string, string>>;

export const NOT_NEGATIVE = "must be greater than or equal to 0";
export const IMMUTABLE = "field is immutable";

/** One error per message of the name check. */
export function name(errors: Errors, value: string, path: Path, check: NameCheck): void {
  for (const message of check(value)) errors.push(field.invalid(path, value, message));
}
export const dnsLabel = (errors: Errors, value: string, path: Path): void => name(errors, value, path, isDns1123Label);
export const dnsSubdomain = (errors: Errors, value: string, path: Path): void =>
  name(errors, value, path, isDns1123Subdomain);
export const qualifiedName = (errors: Errors, value: string, path: Path): void =>
  name(errors, value, path, isQualifiedName);

/** A field that must not be empty. The check runs on a non-empty value. */
export function requiredName(errors: Errors, value: string | undefined, path: Path, check?: NameCheck): void {
  if (!value) errors.push(field.required(path, ""));
  else if (check) name(errors, value, path, check);
}

export function nonNegative(errors: Errors, value: Int64 | undefined, path: Path): void {
  if (value !== undefined && value < 0) errors.push(field.invalid(path, value, NOT_NEGATIVE));
}

export function positive(errors: Errors, value: Int64, path: Path): void {
  if (value <= 0) errors.push(field.invalid(path, value, "must be greater than zero"));
}

/** Supported values are listed as upstream does: sorted if it has a set, in order if it has a list. */
export function oneOf(errors: Errors, value: string | undefined, path: Path, supported: readonly string[]): void {
  if (!supported.includes(value ?? "")) errors.push(field.notSupported(path, value ?? "", supported));
}

/** As oneOf, but an empty value is reported as missing. */
export function requiredOneOf(
  errors: Errors,
  value: string | undefined,
  path: Path,
  supported: readonly string[],
  detail = "",
): void {
  if (!value) errors.push(field.required(path, detail));
  else oneOf(errors, value, path, supported);
}

// Upstream: apimachinery pkg/apis/meta/v1/validation, ValidateLabels
export function labels(errors: Errors, map: StringMap | undefined, path: Path): void {
  for (const key in map) {
    qualifiedName(errors, key, path);
    name(errors, map[key] ?? "", path, isLabelValue);
  }
}

// Upstream: apimachinery pkg/apis/meta/v1/validation, ValidateLabelSelector
export function labelSelector(
  errors: Errors,
  selector: LabelSelector | undefined,
  path: Path,
  allowInvalidValues = false,
): void {
  if (!selector) return;
  labels(errors, selector.matchLabels, path.child("matchLabels"));
  selector.matchExpressions?.forEach((requirement, i) => {
    labelSelectorRequirement(errors, requirement, path.child("matchExpressions").index(i), allowInvalidValues);
  });
}

function labelSelectorRequirement(
  errors: Errors,
  { key = "", operator = "", values = [] }: LabelSelectorRequirement,
  path: Path,
  allowInvalidValues: boolean,
): void {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(field.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      errors.push(
        field.forbidden(path.child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else {
    errors.push(field.invalid(path.child("operator"), operator, "not a valid selector operator"));
  }
  qualifiedName(errors, key, path.child("key"));
  if (allowInvalidValues) return;
  values.forEach((value, i) => {
    name(errors, value, path.child("values").index(i), isLabelValue);
  });
}

export const hasLabelSelectorErrors = (selector: LabelSelector | undefined): boolean => {
  const errors: Errors = [];
  labelSelector(errors, selector, field.newPath(""));
  return errors.length > 0;
};

// Upstream: apimachinery pkg/util/validation, IsValidIPForLegacyField
export function legacyIp(
  errors: Errors,
  value: string,
  path: Path,
  isStrict: boolean,
  known: readonly string[] = [],
): void {
  if (known.includes(value)) return;
  const ip = parseSloppyIp(value);
  if (ip === undefined) {
    errors.push(field.invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
  } else if (isStrict) {
    if (!isIpAddress(value)) errors.push(field.invalid(path, value, "must not have leading 0s"));
    else if (ip.isMapped) errors.push(field.invalid(path, value, "must not be an IPv4-mapped IPv6 address"));
  }
}

// Upstream: apimachinery pkg/util/validation, IsValidCIDRForLegacyField
export function legacyCidr(errors: Errors, value: string, path: Path, isStrict: boolean): void {
  const cidr = parseSloppyCidr(value);
  if (cidr === undefined) {
    errors.push(field.invalid(path, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
  } else if (isStrict) {
    if (!isIpPrefix(value)) errors.push(field.invalid(path, value, "must not have leading 0s in IP or prefix length"));
    else if (cidr.isMapped) errors.push(field.invalid(path, value, "must not have an IPv4-mapped IPv6 address"));
    else if (cidr.hasHostBits)
      errors.push(field.invalid(path, value, "must not have bits set beyond the prefix length"));
  }
}

/** "signer" as "domain.tld/path". Upstream: pkg/apis/core/validation/names.go, ValidateSignerName */
export function signerName(errors: Errors, value: string, path: Path): void {
  if (value === "") {
    errors.push(field.required(path, ""));
    return;
  }
  const segments = value.split("/");
  const [domain = "", rest = ""] = segments;
  if (segments.length !== 2) {
    errors.push(
      field.invalid(path, value, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    );
    return;
  }
  if (domain.length > 253) errors.push(field.tooLong(path, 253));
  labelsOfSegment(errors, domain, path, isDns1123Label);
  if (!domain.includes(".")) {
    errors.push(field.invalid(path, domain, "should be a domain with at least two segments separated by dots"));
  }
  labelsOfSegment(errors, rest, path, isDns1123Subdomain);
  if (value.length > 571) errors.push(field.tooLong(path, 571));
}

function labelsOfSegment(errors: Errors, segment: string, path: Path, check: NameCheck): void {
  for (const label of segment.split(".")) {
    const messages = check(label);
    for (const message of messages) {
      errors.push(field.invalid(path, segment, `validating label ${goQuote(label)}: ${message}`));
    }
    if (messages.length > 0) return;
  }
}

// Upstream: apimachinery pkg/util/validation, IsDomainPrefixedKey
export function domainPrefixedKey(errors: Errors, key: string, path: Path): void {
  if (key === "") {
    errors.push(field.required(path, ""));
    return;
  }
  const before = errors.length;
  qualifiedName(errors, key, path);
  if (errors.length === before && !key.includes("/")) {
    errors.push(field.invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")'));
  }
}

const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${HTTP_PATH}$`);

// Upstream: apimachinery pkg/util/validation, IsDomainPrefixedPath
export function domainPrefixedPath(errors: Errors, value: string, path: Path): void {
  if (value === "") {
    errors.push(field.required(path, ""));
    return;
  }
  const slash = value.indexOf("/");
  const [host, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (host === "" || rest === "") {
    errors.push(field.invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
    return;
  }
  name(errors, host, path, isDns1123Subdomain);
  if (!httpPath.test(rest)) errors.push(field.invalid(path, rest, regexMessage("Invalid path", HTTP_PATH)));
}
