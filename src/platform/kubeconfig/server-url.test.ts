import { describe, expect, it } from "vitest";
import { serverUrl, UnusableServer } from "./server-url.ts";

describe("the address of the API server", () => {
  it.each([
    ["https://a", "https://a"],
    ["HTTPS://a:6443/prefix", "HTTPS://a:6443/prefix"],
    ["http://u:p@10.0.0.1:8080", "http://u:p@10.0.0.1:8080"],
    ["https://[fd00::1]:6443", "https://[fd00::1]:6443"],
    ["a", "http://a"],
    ["a:6443/", "http://a:6443/"],
    ["10.0.0.1", "http://10.0.0.1"],
    ["[::1]:8080", "http://[::1]:8080"],
    ["a_b", "http://a_b"],
  ])("%s is %s", (server, url) => {
    expect(serverUrl(server, false)).toBe(url);
  });

  it("defaults to https if there is TLS configuration", () => {
    expect(serverUrl("a:6443", true)).toBe("https://a:6443");
    expect(serverUrl("http://a", true)).toBe("http://a");
  });

  it.each([
    ["10.0.0.0/8,fd00::/64", 'host must be a URL or a host:port pair: "10.0.0.0/8,fd00::/64"'],
    ["http://[::1", 'host must be a URL or a host:port pair: "http://[::1"'],
    ["http://x:y", 'host must be a URL or a host:port pair: "http://x:y"'],
    ["https://a/%zz", 'parse "http://https://a/%zz": invalid URL escape "%zz"'],
    ["http://", 'host must be a URL or a host:port pair: "http://"'],
    ["a/b", 'host must be a URL or a host:port pair: "a/b"'],
    ["x:y", 'parse "http://x:y": invalid port ":y" after host'],
    ["%zz", 'parse "http://%zz": invalid URL escape "%zz"'],
    ["a b", 'parse "http://a b": invalid character " " in host name'],
    ["[::1", "parse \"http://[::1\": missing ']' in host"],
    ["ftp://x", 'unsupported protocol scheme "ftp"'],
    ["1.5", "dial tcp: lookup 1.5: no such host"],
    ["https://0x7f.1:6443", "dial tcp: lookup 0x7f.1: no such host"],
  ])("%s is invalid: %s", (server, problem) => {
    expect(() => serverUrl(server, false)).toThrow(new UnusableServer(problem));
  });
});
