// Validation of names, keys and values with upstream's exact errors. Each check returns a list of errors; an empty list
// means valid.
// Upstream: k8s.io/apimachinery/pkg/util/validation and pkg/api/validate/content

import { byteLength } from "#api/go-text.ts";
import type { Int64 } from "#api/int64.ts";
import type { Rng } from "#base/rng.ts";

export type NameCheck = (value: string) => string[];

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_UNDERSCORE = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const SUBDOMAIN_UNDERSCORE = `${LABEL_UNDERSCORE}(\\.${LABEL_UNDERSCORE})*`;
const LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const KEY_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${KEY_NAME})?`;
const C_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
const PERCENT = "[0-9]+%";
const HTTP_HEADER = "[-A-Za-z0-9]+";
const ENV_VAR = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+";

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const labelRegex = whole(LABEL);
const subdomainRegex = whole(SUBDOMAIN);
const subdomainUnderscoreRegex = whole(SUBDOMAIN_UNDERSCORE);
const label1035Regex = whole(LABEL_1035);
const wildcardRegex = whole(WILDCARD);
const keyNameRegex = whole(KEY_NAME);
const qualifiedNameRegex = whole(`(${SUBDOMAIN}/)?${KEY_NAME}`);
const labelValueRegex = whole(LABEL_VALUE);
const cIdentifierRegex = whole(C_IDENTIFIER);
const percentRegex = whole(PERCENT);
const httpHeaderRegex = whole(HTTP_HEADER);
const envVarRegex = whole(ENV_VAR);
const configMapKeyRegex = whole(CONFIG_MAP_KEY);

/** pkg/util/validation counts "characters"; the newer pkg/api/validate/content says "bytes". Both count bytes. */
export const maxLengthCharacters = (length: number): string => `must be no more than ${length} characters`;
export const maxLengthBytes = (length: number): string => `must be no more than ${length} bytes`;
export const EMPTY: string = "must be non-empty";
export const inclusiveRange = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

export function regexMessage(message: string, pattern: string, ...examples: readonly string[]): string {
  const used = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${message} (${used}`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}${used}`;
}

const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

// A text that matches one of these expressions is ASCII, so it has as many bytes as characters.

export function isDns1123Label(value: string): string[] {
  if (value.length <= 63 && labelRegex.test(value)) return [];
  const errors = byteLength(value) > 63 ? [maxLengthCharacters(63)] : [];
  if (labelRegex.test(value)) return errors;
  if (subdomainRegex.test(value)) return [...errors, "must not contain dots"];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, regexMessage(message, LABEL, "my-name", "123-abc")];
}

export function isDns1123Subdomain(value: string): string[] {
  if (value.length <= 253 && subdomainRegex.test(value)) return [];
  const errors = byteLength(value) > 253 ? [maxLengthCharacters(253)] : [];
  if (!subdomainRegex.test(value)) errors.push(regexMessage(SUBDOMAIN_MESSAGE, SUBDOMAIN, "example.com"));
  return errors;
}

export function isDns1123SubdomainWithUnderscore(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthCharacters(253)] : [];
  if (subdomainUnderscoreRegex.test(value)) return errors;
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexMessage(message, SUBDOMAIN_UNDERSCORE, "example.com")];
}

export function isDns1035Label(value: string): string[] {
  const errors = byteLength(value) > 63 ? [maxLengthCharacters(63)] : [];
  if (label1035Regex.test(value)) return errors;
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...errors, regexMessage(message, LABEL_1035, "my-name", "abc-123")];
}

export function isWildcardDns1123Subdomain(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthCharacters(253)] : [];
  if (wildcardRegex.test(value)) return errors;
  const message =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...errors, regexMessage(message, WILDCARD, "*.example.com")];
}

const KEY_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const KEY_REGEX = regexMessage(KEY_MESSAGE, KEY_NAME, "MyName", "my.name", "123-abc");

/** A label or annotation key: an optional DNS prefix, a slash and a name. */
export function isQualifiedName(value: string): string[] {
  if (value.length <= 63 && qualifiedNameRegex.test(value)) return [];
  const parts = value.split("/");
  const errors: string[] = [];
  if (parts.length > 2) {
    return [`a valid label key ${KEY_REGEX} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") errors.push(`prefix part ${EMPTY}`);
    else {
      if (byteLength(prefix) > 253) errors.push(`prefix part ${maxLengthBytes(253)}`);
      if (!subdomainRegex.test(prefix)) {
        errors.push(`prefix part ${regexMessage(SUBDOMAIN_MESSAGE, SUBDOMAIN, "example.com")}`);
      }
    }
  }
  const name = parts.at(-1) ?? "";
  if (name === "") errors.push(`name part ${EMPTY}`);
  else if (byteLength(name) > 63) errors.push(`name part ${maxLengthBytes(63)}`);
  if (!keyNameRegex.test(name)) errors.push(`name part ${KEY_REGEX}`);
  return errors;
}

export function isLabelValue(value: string): string[] {
  if (value.length <= 63 && labelValueRegex.test(value)) return [];
  const errors = byteLength(value) > 63 ? [maxLengthBytes(63)] : [];
  if (labelValueRegex.test(value)) return errors;
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexMessage(message, LABEL_VALUE, "MyValue", "my_value", "12345")];
}

/** A valid segment of a URL path. */
export function isPathSegmentName(value: string): string[] {
  return value === "." || value === ".." ? [`may not be '${value}'`] : isPathSegmentPrefix(value);
}

export function isPathSegmentPrefix(value: string): string[] {
  if (!value.includes("/") && !value.includes("%")) return [];
  return ["/", "%"].filter((char) => value.includes(char)).map((char) => `may not contain '${char}'`);
}

export function isCIdentifier(value: string): string[] {
  if (cIdentifierRegex.test(value)) return [];
  const message =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [regexMessage(message, C_IDENTIFIER, "my_name", "MY_NAME", "MyName")];
}

export function isPortNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : [inclusiveRange(1, 65535)];
}

export function isPortName(value: string): string[] {
  const errors: string[] = [];
  if (byteLength(value) > 15) errors.push(maxLengthCharacters(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) errors.push("must contain at least one letter (a-z)");
  if (value.includes("--")) errors.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

export function isUserId(id: Int64): string[] {
  return id >= 0 && id <= 2147483647 ? [] : [inclusiveRange(0, 2147483647)];
}

export function isPercent(value: string): string[] {
  const message = "a valid percent string must be a numeric string followed by an ending '%'";
  return percentRegex.test(value) ? [] : [regexMessage(message, PERCENT, "1%", "93%")];
}

export function isHttpHeaderName(value: string): string[] {
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return httpHeaderRegex.test(value) ? [] : [regexMessage(message, HTTP_HEADER, "X-Header-Name")];
}

function climbs(value: string): string[] {
  if (value === "." || value === "..") return [`must not be '${value}'`];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}

export function isEnvVarName(value: string): string[] {
  const message =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
  const errors = envVarRegex.test(value)
    ? []
    : [regexMessage(message, ENV_VAR, "my.env-name", "MY_ENV.NAME", "MyEnvName1")];
  return [...errors, ...climbs(value)];
}

export function isRelaxedEnvVarName(value: string): string[] {
  if (value === "") return [`environment variable name ${EMPTY}`];
  return /^[ -<>-~]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function isConfigMapKey(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthCharacters(253)] : [];
  if (!configMapKeyRegex.test(value)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(regexMessage(message, CONFIG_MAP_KEY, "key.name", "KEY_NAME", "key-name"));
  }
  return [...errors, ...climbs(value)];
}

const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** Random letters without vowels. Upstream: pkg/util/rand, String */
export function randomSuffix(rng: Rng, length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += SUFFIX_ALPHABET[rng.below(SUFFIX_ALPHABET.length)];
  return text;
}

/**
 * A name for an object that gave generateName: at most 58 bytes of it and five letters.
 * Upstream: k8s.io/apiserver/pkg/storage/names/generate.go
 */
export function generateName(rng: Rng, base: string): string {
  return base.slice(0, 58) + randomSuffix(rng, 5);
}

/** Upstream's form for checking a generateName: its last two characters are replaced by the suffix. */
export const asPrefix = (value: string): string => (/.-$/s.test(value) ? `${value.slice(0, -2)}a` : value);
