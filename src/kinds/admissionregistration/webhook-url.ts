// Where a webhook is: a URL or a service. Upstream: k8s.io/apiserver/pkg/util/webhook/validation.go; net/url, Parse

import * as field from "#api/field-error.ts";
import type { ServiceReference } from "#api/generated/types/admissionregistration-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { isDns1123Subdomain, isPortNumber } from "#api/names.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";

interface Url {
  readonly scheme: string;
  readonly host: string;
  /** Undefined if there is no @. */
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

/** Go's reason for not parsing a URL. */
class UrlProblem extends Error {
  override readonly name = "UrlProblem";
}

const FORM = "; desired format: https://host[/path]";

export function webhookUrl(errors: Errors, text: string, path: Path): void {
  let url: Url;
  try {
    url = parseUrl(text);
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    const quoted = goQuote(text.split("#", 1)[0] ?? "");
    errors.push(field.required(path, `url must be a valid URL: parse ${quoted}: ${error.message}${FORM}`));
    return;
  }
  const { scheme, host, user, query, fragment } = url;
  if (scheme !== "https") errors.push(field.invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === "") errors.push(field.invalid(path, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(field.invalid(path, user, "user information is not permitted in the URL"));
  if (fragment !== "") errors.push(field.invalid(path, fragment, "fragments are not permitted in the URL"));
  if (query !== "") errors.push(field.invalid(path, query, "query parameters are not permitted in the URL"));
}

function parseUrl(text: string): Url {
  const hash = text.indexOf("#");
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  const before = hash < 0 ? text : text.slice(0, hash);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses control characters
  if (/[\u0000-\u001f\u007f]/.test(before)) throw new UrlProblem("net/url: invalid control character in URL");
  if (before.startsWith(":")) throw new UrlProblem("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(before)?.[1] ?? "";
  const afterScheme = scheme === "" ? before : before.slice(scheme.length + 1);
  const [rest = "", ...queries] = afterScheme.split("?");
  const parts = { scheme: scheme.toLowerCase(), query: queries.join("?"), fragment };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...parts, host: "", user: undefined };
    if (rest.split("/", 1)[0]?.includes(":")) throw new UrlProblem("first path segment in URL cannot contain colon");
  }
  let pathText = rest;
  let authority = "";
  if (rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"))) {
    const slash = rest.indexOf("/", 2);
    authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    pathText = slash < 0 ? "" : rest.slice(slash);
  }
  const at = authority.lastIndexOf("@");
  checkHost(authority.slice(at + 1));
  const user = at < 0 ? undefined : authority.slice(0, at);
  if (user !== undefined && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) {
    throw new UrlProblem("net/url: invalid userinfo");
  }
  checkEscapes(pathText);
  checkEscapes(fragment);
  return { ...parts, host: authority.slice(at + 1), user };
}

function checkHost(host: string): void {
  const close = host.lastIndexOf("]");
  if (host.startsWith("[") && close < 0) throw new UrlProblem("missing ']' in host");
  const colon = host.startsWith("[") ? close + 1 : host.lastIndexOf(":");
  const port = colon < 0 ? "" : host.slice(colon);
  if (!/^(:[0-9]*)?$/.test(port)) throw new UrlProblem(`invalid port ${goQuote(port)} after host`);
  const escaped = /%(?![89a-fA-F][0-9a-fA-F]).{0,2}/su.exec(host)?.[0];
  if (escaped !== undefined && !host.startsWith("[")) throw new UrlProblem(`invalid URL escape ${goQuote(escaped)}`);
  const bad = /[ \\^`{|}]/.exec(host)?.[0];
  if (bad !== undefined) throw new UrlProblem(`invalid character ${goQuote(bad)} in host name`);
}

function checkEscapes(text: string): void {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text)?.[0];
  if (bad !== undefined) throw new UrlProblem(`invalid URL escape ${goQuote(bad)}`);
}

// As upstream, a missing name is reported as a missing namespace and vice versa: the caller swaps them.
export function webhookService(errors: Errors, service: ServiceReference, path: Path): void {
  const { name = "", namespace = "", port = 0, path: urlPath = "" } = service;
  if (namespace === "") errors.push(field.required(path.child("name"), ""));
  if (name === "") errors.push(field.required(path.child("namespace"), ""));
  const problems = isPortNumber(port);
  if (problems.length > 0) {
    errors.push(field.invalid(path.child("port"), port, `port is not valid: ${problems.join(", ")}`));
  }
  servicePath(errors, urlPath, path.child("path"));
}

function servicePath(errors: Errors, urlPath: string, path: Path): void {
  if (urlPath === "" || urlPath === "/") return;
  if (urlPath === "//") {
    errors.push(field.invalid(path, urlPath, "segment[0] may not be empty"));
    return;
  }
  if (!urlPath.startsWith("/")) errors.push(field.invalid(path, urlPath, "must start with a '/'"));
  // Upstream cuts off one byte. The rest of a multi-byte character is not a valid name either.
  const rest = urlPath > "\u007f" ? urlPath : urlPath.slice(1);
  const segments = rest.replace(/\/$/, "").split("/");
  segments.forEach((segment, i) => {
    if (segment === "") errors.push(field.invalid(path, urlPath, `segment[${i}] may not be empty`));
    else {
      for (const problem of isDns1123Subdomain(segment)) {
        errors.push(field.invalid(path, urlPath, `segment[${i}]: ${problem}`));
      }
    }
  });
}
