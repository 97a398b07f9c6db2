import { describe, expect, it } from "vitest";
import { type HttpBody, type HttpRequest, TransportError } from "#base/http.ts";
import { isReplayable, requestHead } from "./http1-request.ts";

const target = { host: "h:1", prefix: "" };
const get: HttpRequest = { method: "GET", path: "/a", query: "", headers: {} };
const bytes: HttpBody = { kind: "bytes", bytes: new Uint8Array(3) };
const stream: HttpBody = { kind: "stream", chunks: (async function* () {})() };

describe("heads of requests", () => {
  it.each<[string, HttpRequest, string[]]>([
    ["plain", get, ["GET /a HTTP/1.1", "host: h:1", "accept-encoding: identity"]],
    ["query", { ...get, query: "b=%20c" }, ["GET /a?b=%20c HTTP/1.1", "host: h:1", "accept-encoding: identity"]],
    [
      "headers, one line for each value",
      { ...get, headers: { "accept-encoding": "gzip", "impersonate-group": ["a", "b"], host: "other" } },
      ["GET /a HTTP/1.1", "accept-encoding: gzip", "impersonate-group: a", "impersonate-group: b", "host: other"],
    ],
    [
      "bytes",
      { ...get, method: "PUT", body: bytes },
      ["PUT /a HTTP/1.1", "host: h:1", "accept-encoding: identity", "content-length: 3"],
    ],
    [
      "a stream",
      { ...get, method: "POST", body: stream },
      ["POST /a HTTP/1.1", "host: h:1", "accept-encoding: identity", "transfer-encoding: chunked"],
    ],
    [
      "a POST of nothing",
      { ...get, method: "POST" },
      ["POST /a HTTP/1.1", "host: h:1", "accept-encoding: identity", "content-length: 0"],
    ],
    [
      "framing is not the sender's",
      { ...get, headers: { "content-length": "9", "transfer-encoding": "x", connection: "close" } },
      ["GET /a HTTP/1.1", "host: h:1", "accept-encoding: identity"],
    ],
  ])("%s", (_, request, expected) => {
    expect(requestHead(request, target)).toBe(`${expected.join("\r\n")}\r\n\r\n`);
  });

  it("asks a proxy for the whole URL, with a login", () => {
    const viaProxy = { host: "h:1", prefix: "http://h:1/p", proxyAuthorization: "Basic eA==" };
    expect(requestHead(get, viaProxy)).toContain("GET http://h:1/p/a HTTP/1.1\r\nhost: h:1\r\n");
    expect(requestHead(get, viaProxy)).toContain("proxy-authorization: Basic eA==\r\n");
  });

  it.each<[string, Partial<HttpRequest>, string]>([
    ["a line end in a header", { headers: { authorization: "Bearer s3cret\r\nx: y" } }, "authorization"],
    ["a line feed in a list", { headers: { x: ["a", "b\nc"] } }, 'value for "x"'],
    ["a zero", { headers: { x: "a\0" } }, 'value for "x"'],
    ["what is no byte", { headers: { x: "\u0144" } }, 'value for "x"'],
    ["a name", { headers: { "x y": "a" } }, 'name "x y"'],
    ["a name with a line end", { headers: { "x\r\ny": "a" } }, "name"],
    ["a path", { path: "/a b" }, "path or query"],
    ["a path with a line end", { path: "/a HTTP/1.1\r\nx: y" }, "path or query"],
    ["a query", { query: "\u00e9" }, "path or query"],
    ["a method", { method: "GET /x" }, 'method "GET /x"'],
    ["a body of this process", { body: { kind: "object", value: 1 } }, "cannot leave the process"],
  ])("refuses %s", (_, change, message) => {
    const attempt = (): string => requestHead({ ...get, ...change }, target);
    expect(attempt).toThrow(TransportError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow("s3cret");
  });

  it("knows which requests may be sent twice", () => {
    const may = (change: Partial<HttpRequest>): boolean => isReplayable({ ...get, ...change });
    expect(["GET", "HEAD", "OPTIONS", "TRACE"].every((method) => may({ method }))).toBe(true);
    expect(["POST", "PUT", "PATCH", "DELETE"].some((method) => may({ method }))).toBe(false);
    expect(may({ body: bytes })).toBe(true);
    expect(may({ body: stream })).toBe(false);
    expect(may({ method: "POST", headers: { "idempotency-key": "1" } })).toBe(true);
    expect(may({ method: "POST", headers: { "x-idempotency-key": "1" }, body: stream })).toBe(false);
  });
});
