import { describe, expect, it } from "vitest";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { isAsPublished, newBundle, restored } from "./bundle.ts";

const DESCRIPTION = "kubernetes.io/description";
const text = newBundle("CA").metadata.annotations?.[DESCRIPTION] ?? "";
const annotations = { [DESCRIPTION]: text };
const data = { "ca.crt": "CA" };

describe("the bundle's ConfigMap", () => {
  it("root-ca-certificate-publisher/1 is made with the CA and a description of its use", () => {
    expect(newBundle("CA")).toEqual({ metadata: { name: "kube-root-ca.crt", annotations }, data });
    expect(text).toBe(
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
    );
  });

  it.each([
    { what: "as it was made", annotations, data, isRight: true },
    {
      what: "described in other words",
      annotations: { [DESCRIPTION]: "x" },
      data,
      isRight: true,
    },
    {
      what: "described by nothing",
      annotations: { [DESCRIPTION]: "" },
      data,
      isRight: false,
    },
    { what: "without a description", annotations: {}, data, isRight: false },
    { what: "without data", annotations, data: {}, isRight: false },
    { what: "with another CA", annotations, data: { "ca.crt": "abc" }, isRight: false },
    {
      what: "with a key too many",
      annotations,
      data: { ...data, test: "test" },
      isRight: false,
    },
  ])("root-ca-certificate-publisher/3 $what is right: $isRight", ({ annotations, data, isRight }) => {
    const configMap = stored(ConfigMaps, { metadata: { name: "kube-root-ca.crt", annotations }, data });
    expect(isAsPublished(configMap, "CA")).toBe(isRight);
    expect(isAsPublished(restored(configMap, "CA"), "CA")).toBe(true);
  });

  it("root-ca-certificate-publisher/3 put right, it keeps labels, other annotations and binary data", () => {
    const own = { name: "kube-root-ca.crt", labels: { a: "b" } };
    const changed = stored(ConfigMaps, {
      metadata: { ...own, annotations: { mine: "1", [DESCRIPTION]: "x" } },
      data: { "ca.crt": "junk", more: "x" },
      binaryData: { b: "AA==" },
    });
    expect(restored(changed, "CA")).toEqual(
      stored(ConfigMaps, {
        metadata: { ...own, annotations: { mine: "1", ...annotations } },
        data,
        binaryData: { b: "AA==" },
      }),
    );
  });
});
