// The libraries of Kubernetes: quantities, URLs, IP addresses, networks, named formats, versions.
// Upstream: k8s.io/apiserver/pkg/cel/library

import { ValueError } from "#api/errors.ts";
import { goQuote } from "#api/go-text.ts";
import {
  asPrefix,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from "#api/names.ts";
import { type Quantity, quantityOf } from "#api/quantity.ts";
import { parseQuantity } from "#api/quantity-parser.ts";
import {
  type Cidr,
  containsIp,
  type Ip,
  ipText,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  masked,
  parseCidr,
  parseIp,
} from "./addresses.ts";
import { compareSemver } from "./equality.ts";
import { hasFormat } from "./formats.ts";
import type { CelFunction } from "./functions.ts";
import { type GoUrl, parseRequestUri, parseUrlQuery } from "./go-url.ts";
import { parseSemver } from "./semver.ts";
import {
  ArrayList,
  CelError,
  LiteralMap,
  type NamedFormat,
  noOverload,
  Opaque,
  Optional,
  type Semver,
  type Value,
} from "./values.ts";

const text = (value: Value | undefined): string => (typeof value === "string" ? value : noOverload());

function unwrap<T>(type: Opaque["type"], value: Value | undefined): T {
  return value instanceof Opaque && value.type === type ? (value.value as T) : noOverload();
}

const quantity = (value: Value | undefined): Quantity => unwrap("kubernetes.Quantity", value);
const url = (value: Value | undefined): GoUrl => unwrap("kubernetes.URL", value);
const semver = (value: Value | undefined): Semver => unwrap("kubernetes.Semver", value);
const ip = (value: Value | undefined): Ip => unwrap("net.IP", value);
const cidr = (value: Value | undefined): Cidr => unwrap("net.CIDR", value);

/** Whether it parses. */
function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof CelError || error instanceof ValueError) return false;
    throw error;
  }
}

const toQuantity = (value: Value): Value => newQuantity(() => parseQuantity(text(value)));

/** A parse error or an overflow fails the expression. */
function newQuantity(make: () => Quantity): Value {
  try {
    return new Opaque("kubernetes.Quantity", make());
  } catch (error) {
    if (error instanceof ValueError) throw new CelError(error.message);
    throw error;
  }
}

const amount = (value: Value | undefined): Quantity =>
  typeof value === "bigint" ? quantityOf(value, "DecimalExponent") : quantity(value);

const order = (a: Value | undefined, b: Value | undefined): number =>
  a instanceof Opaque && a.type === "kubernetes.Semver"
    ? compareSemver(semver(a), semver(b))
    : quantity(a).cmp(quantity(b));

function toUrl(value: Value): Value {
  const parsed = parseRequestUri(text(value));
  if (parsed !== undefined) return new Opaque("kubernetes.URL", parsed);
  const why = text(value) === "" ? "empty url" : "invalid URI for request";
  throw new CelError(`URL parse error during conversion from string: parse ${goQuote(text(value))}: ${why}`);
}

const hostname = ({ host }: GoUrl): string => {
  if (host.startsWith("[")) return host.slice(1, host.indexOf("]"));
  const colon = host.lastIndexOf(":");
  return colon < 0 ? host : host.slice(0, colon);
};

const port = ({ host }: GoUrl): string => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ""))?.[1] ?? "";

function query({ rawQuery }: GoUrl): Value {
  return LiteralMap.of([...parseUrlQuery(rawQuery)].map(([key, values]) => [key, new ArrayList(values)] as const));
}

const format = (name: string, regexSize: number, validate: (value: string) => string[]): [string, NamedFormat] => [
  name.slice(0, 1).toLowerCase() + name.slice(1).replace(/^NS/, "ns").replace(/^RI/, "ri"),
  { name, regexSize, validate },
];

const ofFormat =
  (name: string, complaint: string): ((value: string) => string[]) =>
  (value) =>
    hasFormat(name, value) ? [] : [complaint];

const FORMATS: ReadonlyMap<string, NamedFormat> = new Map([
  format("DNS1123Label", 30, isDns1123Label),
  format("DNS1123Subdomain", 60, isDns1123Subdomain),
  format("DNS1035Label", 30, isDns1035Label),
  format("QualifiedName", 60, isQualifiedName),
  format("DNS1123LabelPrefix", 30, (value) => isDns1123Label(asPrefix(value))),
  format("DNS1123SubdomainPrefix", 60, (value) => isDns1123Subdomain(asPrefix(value))),
  format("DNS1035LabelPrefix", 30, (value) => isDns1035Label(asPrefix(value))),
  format("LabelValue", 40, isLabelValue),
  format("URI", 1103, (value) =>
    parseRequestUri(value) === undefined
      ? [`parse ${goQuote(value)}: ${value === "" ? "empty url" : "invalid URI for request"}`]
      : [],
  ),
  format("uuid", 70, ofFormat("uuid", "does not match the UUID format")),
  format("byte", 84, ofFormat("byte", "invalid base64")),
  format("date", 70, ofFormat("date", "invalid date")),
  format("datetime", 70, ofFormat("datetime", "invalid datetime")),
]);

const constantFormats = (): Record<string, CelFunction> =>
  Object.fromEntries(
    [...FORMATS].map(([name, each]) => [`format.${name}`, () => new Opaque("kubernetes.NamedFormat", each)]),
  );

function validate(named: Value, value: Value): Value {
  const errors = unwrap<NamedFormat>("kubernetes.NamedFormat", named).validate(text(value));
  return errors.length === 0 ? new Optional() : new Optional(new ArrayList(errors));
}

const toIp = (value: Value): Value => new Opaque("net.IP", parseIp(text(value)));
const toCidr = (value: Value): Value => new Opaque("net.CIDR", parseCidr(text(value)));

function containsCidr(outer: Value, inner: Value): Value {
  const [network, other] = [cidr(outer), typeof inner === "string" ? parseCidr(inner) : cidr(inner)];
  return network.bits <= other.bits && containsIp(network, other);
}

export const KUBERNETES: Readonly<Record<string, CelFunction>> = {
  quantity: toQuantity as CelFunction,
  isQuantity: (value) => succeeds(() => parseQuantity(text(value))),
  sign: (value) => BigInt(quantity(value).sign),
  asInteger: (value) => {
    const whole = quantity(value).asInt64();
    if (whole === undefined) throw new CelError("cannot convert value to integer");
    return whole;
  },
  isInteger: (value) => quantity(value).asInt64() !== undefined,
  asApproximateFloat: (value) => quantity(value).asApproximateFloat(),
  isGreaterThan: (a, b) => order(a, b) > 0,
  isLessThan: (a, b) => order(a, b) < 0,
  compareTo: (a, b) => BigInt(Math.sign(order(a, b))),
  add: (a, b) => newQuantity(() => quantity(a).add(amount(b))),
  sub: (a, b) => newQuantity(() => quantity(a).sub(amount(b))),
  url: toUrl as CelFunction,
  isURL: (value) => parseRequestUri(text(value)) !== undefined,
  getScheme: (value) => url(value).scheme,
  getHost: (value) => url(value).host,
  getHostname: (value) => hostname(url(value)),
  getPort: (value) => port(url(value)),
  getEscapedPath: (value) => url(value).escapedPath,
  getQuery: (value) => query(url(value)),
  ip: ((value: Value) =>
    value instanceof Opaque
      ? new Opaque("net.IP", { family: cidr(value).family, bytes: cidr(value).bytes })
      : toIp(value)) as CelFunction,
  isIP: (value) => succeeds(() => parseIp(text(value))),
  "ip.isCanonical": (value) => ipText(parseIp(text(value))) === value,
  family: (value) => BigInt(ip(value).family),
  isUnspecified: (value) => isUnspecified(ip(value)),
  isLoopback: (value) => isLoopback(ip(value)),
  isLinkLocalMulticast: (value) => isLinkLocalMulticast(ip(value)),
  isLinkLocalUnicast: (value) => isLinkLocalUnicast(ip(value)),
  isGlobalUnicast: (value) => isGlobalUnicast(ip(value)),
  cidr: toCidr as CelFunction,
  isCIDR: (value) => succeeds(() => parseCidr(text(value))),
  containsIP: (network, address) => {
    // As upstream, the error of an invalid address is lost.
    if (typeof address === "string" && !succeeds(() => parseIp(address))) return noOverload();
    return containsIp(cidr(network), typeof address === "string" ? parseIp(address) : ip(address));
  },
  containsCIDR: containsCidr as CelFunction,
  masked: (value) => new Opaque("net.CIDR", masked(cidr(value))),
  prefixLength: (value) => BigInt(cidr(value).bits),
  ...constantFormats(),
  "format.named": (name) => {
    const found = FORMATS.get(text(name));
    return found === undefined ? new Optional() : new Optional(new Opaque("kubernetes.NamedFormat", found));
  },
  validate: validate as CelFunction,
  semver: (value, normalize) => new Opaque("kubernetes.Semver", parseSemver(text(value), normalize === true)),
  isSemver: (value, normalize) => succeeds(() => parseSemver(text(value), normalize === true)),
  major: (value) => semver(value).major,
  minor: (value) => semver(value).minor,
  patch: (value) => semver(value).patch,
};
