import { describe, expect, it } from "vitest";
import { listenAsGo } from "./listen-address.ts";

/**
 * The addresses that are tried, in order, and the outcome. `failing` lists addresses that fail, with their error codes.
 */
async function tried(bindAddress: string, failing: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const hosts: string[] = [];
  const outcome = await listenAsGo(bindAddress, async (host) => {
    hosts.push(host);
    const code = failing[host];
    if (code !== undefined) throw Object.assign(new Error(`cannot listen on ${host}`), code === "" ? {} : { code });
    return "listening";
  }).catch((error: Error) => error.message);
  return [...hosts, outcome];
}

describe("listening", () => {
  it("listens on both families for the unspecified IPv4 address", async () => {
    expect(await tried("0.0.0.0")).toEqual(["::", "listening"]);
    expect(await tried("127.0.0.1")).toEqual(["127.0.0.1", "listening"]);
    expect(await tried("::")).toEqual(["::", "listening"]);
  });

  it.each(["", "EAFNOSUPPORT", "EADDRNOTAVAIL"])("does with IPv4 on a machine without IPv6: %s", async (code) => {
    expect(await tried("0.0.0.0", { "::": code })).toEqual(["::", "0.0.0.0", "listening"]);
    expect(await tried("::", { "::": code })).toEqual(["::", "cannot listen on ::"]);
  });

  it.each(["EADDRINUSE", "EACCES"])("does not look elsewhere after %s", async (code) => {
    expect(await tried("0.0.0.0", { "::": code })).toEqual(["::", "cannot listen on ::"]);
  });
});
