import { describe, expect, it } from "vitest";
import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import { describeRules, ruleAllows, uncoveredRules } from "./policy-rules.ts";

const rule = (verbs: string, groups: string, resources: string, names?: string): PolicyRule => ({
  verbs: verbs.split(","),
  apiGroups: groups.split(","),
  resources: resources.split(","),
  ...(names && { resourceNames: names.split(",") }),
});
const urls = (verbs: string, paths: string): PolicyRule => ({
  verbs: verbs.split(","),
  nonResourceURLs: paths.split(","),
});

/** request: "get apps deployments/scale web", or "get /healthz". */
function isAllowed(by: PolicyRule, request: string): boolean {
  const [verb = "", group = "", whole = "", name = ""] = request.split(" ");
  if (group.startsWith("/")) return ruleAllows(by, { isResourceRequest: false, verb, path: group });
  const [resource = "", subresource = ""] = whole.split("/");
  return ruleAllows(by, { isResourceRequest: true, verb, group, resource, subresource, name });
}

describe("machinery/7.5.r2 a rule of a role", () => {
  it.each([
    [rule("get,list", ",apps", "pods,deployments"), "list apps deployments", true],
    [rule("get", "apps", "deployments"), "list apps deployments", false],
    [rule("get", "apps", "deployments"), "get  deployments", false],
    [rule("get", "apps", "deployments"), "get apps deployments/scale", false],
    [rule("get", "apps", "deployments/scale"), "get apps deployments", false],
    [rule("get", "apps", "*/scale"), "get apps deployments/scale", true],
    [rule("get", "apps", "*/scale"), "get apps deployments/status", false],
    [rule("get", "apps", "*"), "get apps deployments/status", true],
    [rule("*", "*", "*"), "anything any.group things/part name", true],
    [rule("get", "", "pods", "a,b"), "get  pods b", true],
    [rule("get", "", "pods", "a,b"), "get  pods c", false],
    [rule("get", "", "pods", "a"), "get  pods", false],
    [rule("*", "*", "*"), "get /healthz", false],
    [urls("get", "/healthz"), "get /healthz", true],
    [urls("get", "/healthz"), "get /healthz/", false],
    [urls("get", "/healthz/*"), "get /healthz/etcd", true],
    [urls("*", "*"), "post /any", true],
    [urls("get", "/a*"), "post /a", false],
  ])("%j allows %s: %p", (by, request, expected) => {
    expect(isAllowed(by, request)).toBe(expected);
  });
});

describe("machinery/7.5.r8 permissions that a user does not have", () => {
  it.each([
    [[rule("get,list", "", "pods,secrets")], [rule("get", "", "pods")], ""],
    [[rule("get", "", "pods")], [rule("get", "", "pods", "a")], ""],
    [[rule("get", "", "pods", "a")], [rule("get", "", "pods")], '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    [[rule("*", "apps", "*/scale")], [rule("get", "apps", "deployments/scale")], ""],
    [[urls("get", "/a/*")], [urls("get", "/a/b,/a/*")], ""],
    [[rule("*", "*", "*")], [urls("get", "/a")], '{NonResourceURLs:["/a"], Verbs:["get"]}'],
    [
      [rule("list", "", "pods")],
      [rule("get,list,watch", "", "secrets,pods", "x"), urls("put,get", "/b,/a")],
      [
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["get" "watch"]}',
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["x"], Verbs:["get" "list" "watch"]}',
        '{NonResourceURLs:["/a"], Verbs:["get"]}',
        '{NonResourceURLs:["/a"], Verbs:["put"]}',
        '{NonResourceURLs:["/b"], Verbs:["get"]}',
        '{NonResourceURLs:["/b"], Verbs:["put"]}',
      ].join("\n"),
    ],
  ])("%j of %j: %s", (held, wanted, missing) => {
    expect(describeRules(uncoveredRules(held, wanted))).toBe(missing);
  });
});
