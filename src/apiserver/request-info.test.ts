import { describe, expect, it } from "vitest";
import { parseQuery } from "./query.ts";
import { parseRequestInfo } from "./request-info.ts";

const info = (method: string, target: string): Record<string, unknown> => {
  const [path = "", query = ""] = target.split("?");
  const parsed = parseRequestInfo(method, path, parseQuery(query));
  if (!parsed.isResourceRequest) return { verb: parsed.verb, path: parsed.path };
  const { verb, group, version, namespace, resource, subresource, name } = parsed;
  return { verb, group, version, namespace, resource, subresource, name };
};

const of = (verb: string, resource: string, more: Record<string, string> = {}): Record<string, unknown> => ({
  verb,
  group: "",
  version: "v1",
  namespace: "",
  resource,
  subresource: "",
  name: "",
  ...more,
});

describe("request info", () => {
  it.each([
    ["GET", "/api/v1/namespaces", of("list", "namespaces")],
    ["GET", "/api/v1/namespaces/other", of("get", "namespaces", { namespace: "other", name: "other" })],
    ["GET", "/api/v1/namespaces/other/pods", of("list", "pods", { namespace: "other" })],
    ["GET", "/api/v1/namespaces/other/pods/foo", of("get", "pods", { namespace: "other", name: "foo" })],
    ["HEAD", "/api/v1/namespaces/other/pods/foo", of("get", "pods", { namespace: "other", name: "foo" })],
    ["GET", "/api/v1/pods", of("list", "pods")],
    ["GET", "/api/v1/pods?watch=true", of("watch", "pods")],
    ["GET", "/api/v1/pods?watch=0", of("list", "pods")],
    ["GET", "/api/v1/watch/pods", of("watch", "pods")],
    ["GET", "/api/v1/watch/namespaces/other/pods/foo", of("watch", "pods", { namespace: "other", name: "foo" })],
    [
      "GET",
      "/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Dfoo",
      of("list", "pods", { namespace: "other", name: "foo" }),
    ],
    [
      "GET",
      "/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3D..",
      of("list", "pods", { namespace: "other" }),
    ],
    ["POST", "/api/v1/namespaces/other/pods", of("create", "pods", { namespace: "other" })],
    [
      "PUT",
      "/api/v1/namespaces/foo/finalize",
      of("update", "namespaces", { namespace: "foo", name: "foo", subresource: "finalize" }),
    ],
    ["PATCH", "/api/v1/nodes/n/status", of("patch", "nodes", { name: "n", subresource: "status" })],
    ["DELETE", "/api/v1/namespaces/other/pods", of("deletecollection", "pods", { namespace: "other" })],
    ["DELETE", "/api/v1/namespaces/other/pods/foo", of("delete", "pods", { namespace: "other", name: "foo" })],
    [
      "GET",
      "/apis/apps/v1/namespaces/x/deployments/d/scale",
      of("get", "deployments", { group: "apps", namespace: "x", name: "d", subresource: "scale" }),
    ],
    ["GET", "/api/v1/", { verb: "get", path: "/api/v1/" }],
    ["GET", "/apis/apps/v1", { verb: "get", path: "/apis/apps/v1" }],
    ["POST", "/healthz", { verb: "post", path: "/healthz" }],
    ["GET", "/", { verb: "get", path: "/" }],
    ["GET", "/apiz/v1/pods", { verb: "get", path: "/apiz/v1/pods" }],
  ])("reads %s %s", (method, target, expected) => {
    expect(info(method, target)).toEqual(expected);
  });
});
