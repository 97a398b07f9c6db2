// A URI as Go parses and prints it: the scheme in lower case, an empty fragment dropped, special characters escaped.
// The text is ASCII; unescaped bytes are kept as characters up to U+00FF. Pure.
// Upstream: net/url, Parse and String; crypto/x509/parser.go, parseSANExtension and domainNameValid

import { goQuote } from "#base/go-text.ts";
import { InvalidDer } from "./der.ts";

class InvalidUri extends Error {
  override readonly name = "InvalidUri";
}

const UNRESERVED = "A-Za-z0-9\\-._~";
/** Characters that are not escaped. */
const plain = {
  path: new RegExp(`[${UNRESERVED}$&+,/:;=@]`),
  fragment: new RegExp(`[${UNRESERVED}$&+,/:;=@!()*?]`),
  user: new RegExp(`[${UNRESERVED}$&+,;=]`),
  host: new RegExp(`[${UNRESERVED}!"$&'()*+,:;<=>[\\]]`),
};
/** A given path or fragment is kept unchanged if it has only these characters. */
const VALID_ENCODED = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/;
const VALID_FRAGMENT = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%?]*$/;

/** Throws InvalidDer with Go's messages. */
export function canonicalUri(uri: string): string {
  const [withoutFragment = "", ...fragments] = uri.split("#");
  const fragment = fragments.join("#");
  let named = withoutFragment;
  try {
    const text = canonical(withoutFragment);
    named = uri;
    return fragment === "" ? text : `${text}#${escapedAs(fragment, VALID_FRAGMENT, plain.fragment)}`;
  } catch (error) {
    if (!(error instanceof InvalidUri)) throw error;
    throw new InvalidDer(`x509: cannot parse URI ${goQuote(uri)}: ${parseProblem(named, error)}`, { cause: error });
  }
}

const parseProblem = (uri: string, { message }: InvalidUri): string =>
  message === INVALID_DOMAIN ? message : `parse ${goQuote(uri)}: ${message}`;

const INVALID_DOMAIN = "invalid domain";

function canonical(uri: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses control characters
  if (/[\u0000-\u001f\u007f]/.test(uri)) throw new InvalidUri("net/url: invalid control character in URL");
  if (uri === "*") return "*";
  if (uri.startsWith(":")) throw new InvalidUri("missing protocol scheme");
  const [prefix = ""] = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(uri) ?? [];
  const scheme = prefix.toLowerCase();
  const [rest = "", ...queries] = uri.slice(prefix.length).split("?");
  const query = queries.length === 0 ? "" : `?${queries.join("?")}`;
  if (!rest.startsWith("/") && scheme !== "") return `${scheme}${rest}${query}`;
  if (!rest.startsWith("/") && (rest.split("/")[0] ?? "").includes(":")) {
    throw new InvalidUri("first path segment in URL cannot contain colon");
  }
  const hasAuthority = (scheme !== "" || !rest.startsWith("///")) && rest.startsWith("//");
  if (!hasAuthority) return `${scheme}${escapedAs(rest, VALID_ENCODED, plain.path)}${query}`;
  const [, authority = "", given = ""] = /^\/\/([^/]*)(.*)$/.exec(rest) ?? [];
  const { user, host } = canonicalAuthority(scheme, authority);
  const path = escapedAs(given, VALID_ENCODED, plain.path);
  if (host !== "" && !isDomainName(host)) throw new InvalidUri(INVALID_DOMAIN);
  const slashes = scheme === "" && host === "" && user === "" ? "" : host + path + user === "" ? "" : "//";
  return `${scheme}${slashes}${user}${escaped(host, plain.host)}${path}${query}`;
}

function canonicalAuthority(scheme: string, authority: string): { readonly user: string; readonly host: string } {
  const at = authority.lastIndexOf("@");
  const host = hostOf(scheme, authority.slice(at + 1));
  if (at < 0) return { user: "", host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(info)) throw new InvalidUri("net/url: invalid userinfo");
  const [name = "", ...rest] = info.split(":");
  const password = rest.length === 0 ? "" : `:${escaped(unescaped(rest.join(":")), plain.user)}`;
  return { user: `${escaped(unescaped(name), plain.user)}${password}@`, host };
}

function hostOf(scheme: string, host: string): string {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) throw new InvalidUri("invalid IP-literal");
  if (bracket === 0) {
    const end = host.lastIndexOf("]");
    if (end < 0) throw new InvalidUri("missing ']' in host");
    checkPort(host.slice(end + 1));
    const address = unescaped(host.slice(1, end));
    if (!/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%.+)?$/.test(address)) throw new InvalidUri("invalid IP-literal");
    return `[${address}]${host.slice(end + 1)}`;
  }
  const isStrict = scheme === "http:" || scheme === "https:";
  const colon = isStrict ? host.indexOf(":") : host.lastIndexOf(":");
  if (colon >= 0) checkPort(host.slice(colon));
  for (const [found] of host.matchAll(/%[0-7][0-9a-fA-F]/g)) {
    if (found !== "%25") throw new InvalidUri(`invalid URL escape ${goQuote(found)}`);
  }
  const odd = host
    .replaceAll("%", "")
    .match(/./g)
    ?.find((char) => char < "\u0080" && !plain.host.test(char));
  if (odd !== undefined) throw new InvalidUri(`invalid character ${goQuote(odd)} in host name`);
  return unescaped(host);
}

function checkPort(port: string): void {
  if (!/^(:[0-9]*)?$/.test(port)) throw new InvalidUri(`invalid port ${goQuote(port)} after host`);
}

/** The given form if it is a valid encoding, otherwise the default one. */
function escapedAs(given: string, valid: RegExp, plainCharacters: RegExp): string {
  const text = unescaped(given);
  return valid.test(given) ? given : escaped(text, plainCharacters);
}

function unescaped(text: string): string {
  const [broken] = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text) ?? [];
  if (broken !== undefined) throw new InvalidUri(`invalid URL escape ${goQuote(broken)}`);
  return text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function escaped(text: string, plainCharacters: RegExp): string {
  return text.replace(/./gs, (char) =>
    plainCharacters.test(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

function isDomainName(host: string): boolean {
  return /^[\u0021-\u007e]*$/.test(host) && !host.endsWith(".") && !host.split(".").includes("");
}
