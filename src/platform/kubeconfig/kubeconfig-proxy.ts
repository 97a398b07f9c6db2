// The proxy from the environment, by the rules of Go's net/http.
// Upstream: golang.org/x/net/http/httpproxy
import { BlockList, isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

export function proxyFromEnvironment(baseUrl: string, env: Environment): string | undefined {
  const url = new URL(baseUrl);
  const names = url.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const proxy = first(env, names);
  if (!proxy || isExempt(url, first(env, ["NO_PROXY", "no_proxy"]) ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function first(env: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => env[name]).find((value) => value);
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || contains(LOOPBACK, host)) return true;
  return noProxy.split(",").some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  if (entry.includes("/")) return isIP(host) !== 0 && contains(subnet(entry), host);
  const [name = "", wantedPort] = isIP(entry) ? [entry] : entry.split(/:(?=\d+$)/);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (name.startsWith("*.")) return host.endsWith(name.slice(1));
  if (name.startsWith(".")) return host.endsWith(name);
  return host === name || host.endsWith(`.${name}`);
}

function subnet(cidr: string): BlockList {
  const list = new BlockList();
  const [address = "", prefix = ""] = cidr.split("/");
  const bits = Number(prefix);
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  const isValid = isIP(address) !== 0 && /^\d+$/.test(prefix) && bits <= (family === "ipv6" ? 128 : 32);
  if (isValid) list.addSubnet(address, bits, family);
  return list;
}

function contains(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 6 ? "ipv6" : "ipv4");
}
