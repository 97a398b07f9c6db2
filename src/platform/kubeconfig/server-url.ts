// The API server's address as a URL. Addresses that Go's parser refuses are refused with Go's message. The runtimes'
// parser would read "http://[::1" as a host named http, and 1.5 as 1.0.0.5.
// Upstream: client-go/rest/url_utils.go, DefaultServerURL; net/url, parseHost.

import { isIPv4 } from "node:net";
import { withoutPassword } from "#client/kubeconfig-validation.ts";

export class UnusableServer extends Error {
  override readonly name = "UnusableServer";
}

/** An address without a scheme means HTTPS if there is TLS configuration. */
export function serverUrl(server: string, hasTls: boolean): string {
  const [, scheme = "", ownHost = "", ownPath = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(server) ?? [];
  const isWhole = ownHost !== "" && hostProblem(ownHost) === undefined && escapeProblem(ownPath) === undefined;
  if (isWhole) {
    // Deviation: upstream reports this on each request.
    if (!/^https?$/i.test(scheme)) throw new UnusableServer(`unsupported protocol scheme "${scheme}"`);
    return usable(server, ownHost, server);
  }
  const url = `${hasTls ? "https" : "http"}://${server}`;
  const [, host = "", path = ""] = /^([^/?#]*)([^?#]*)/.exec(server) ?? [];
  const problem = hostProblem(host) ?? escapeProblem(path);
  if (problem !== undefined) throw new UnusableServer(`parse "${withoutPassword(url)}": ${problem}`);
  if (path !== "" && path !== "/") throw neither(server);
  return usable(url, host, server);
}

function usable(url: string, host: string, server: string): string {
  if (!URL.canParse(url)) throw neither(server);
  const { hostname } = new URL(url);
  const name = withoutPort(host);
  if (isIPv4(hostname) && hostname !== name) throw new UnusableServer(`dial tcp: lookup ${name}: no such host`);
  return url;
}

function neither(server: string): UnusableServer {
  return new UnusableServer(`host must be a URL or a host:port pair: "${withoutPassword(server)}"`);
}

function withoutPort(host: string): string {
  return host.slice(host.lastIndexOf("@") + 1).replace(/:\d*$/, "");
}

/** host: with port, and with user information before an "@". */
function hostProblem(host: string): string | undefined {
  const name = host.slice(host.lastIndexOf("@") + 1);
  const bracket = name.lastIndexOf("]");
  if (name.startsWith("[") && bracket < 0) return "missing ']' in host";
  const colon = name.indexOf(":", bracket + 1);
  const end = name.startsWith("[") ? name.slice(bracket + 1) : colon < 0 ? "" : name.slice(colon);
  if (!/^(?::\d*)?$/.test(end)) return `invalid port "${end}" after host`;
  if (name.startsWith("[")) return undefined;
  const [broken] = /%.{0,2}/.exec(name) ?? [];
  if (broken !== undefined) return `invalid URL escape "${broken}"`;
  const [odd] = /[\0- \\^`{|}\x7f]/.exec(name) ?? [];
  return odd === undefined ? undefined : `invalid character ${JSON.stringify(odd)} in host name`;
}

function escapeProblem(path: string): string | undefined {
  const [broken] = /%(?![0-9a-f]{2}).{0,2}/i.exec(path) ?? [];
  return broken === undefined ? undefined : `invalid URL escape "${broken}"`;
}
