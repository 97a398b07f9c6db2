import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goTypeOfKind } from "#api/go-layout.ts";
import { decodeTyped } from "#api/typed-decoding.ts";
import { readGoJson, strictGoErrors } from "./go-json.ts";

const pod = goTypeOfKind({ group: "", version: "v1", kind: "Pod" });
const configMap = goTypeOfKind({ group: "", version: "v1", kind: "ConfigMap" });
const deployment = goTypeOfKind({ group: "apps", version: "v1", kind: "Deployment" });
if (pod === undefined || configMap === undefined || deployment === undefined) throw new Error("no Go types");

describe("typed decoding", () => {
  it("omits and writes zero values as Go does", () => {
    const { value } = decodeTyped(pod, {
      metadata: { name: "p", labels: null, annotations: {}, creationTimestamp: null },
      spec: {
        containers: [{ name: "c", image: "", args: [], resources: { limits: { cpu: "0.1", memory: "1024Mi" } } }],
        hostNetwork: false,
        priority: 0,
      },
    });
    expect(value).toEqual({
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", resources: { limits: { cpu: "100m", memory: "1Gi" } } }], priority: 0 },
      status: {},
    });
  });

  it("shares unchanged parts and never changes its input", () => {
    const input = Object.freeze({ metadata: Object.freeze({ name: "a" }), data: Object.freeze({ k: "v" }) });
    const { value } = decodeTyped(configMap, input);
    expect(value).toBe(input);
  });

  it("decodes only the parts that are not shared with an object decoded before", () => {
    const { value: before } = decodeTyped(pod, {
      metadata: { name: "p", labels: { a: "b" } },
      spec: { containers: [{ name: "c", resources: { limits: { cpu: "0.1" } } }], tolerations: [{ key: "k" }] },
    });
    const spec = before.spec as Record<string, unknown>;
    const metadata = before.metadata as Record<string, unknown>;
    for (const patched of [
      { ...before, metadata: { ...metadata, labels: { a: "c" } } },
      { ...before, metadata: { ...metadata, labels: {}, x: 1 } },
      { ...before, spec: { ...spec, containers: [{ name: "c", resources: { limits: { cpu: "0.2" } } }], y: 1 } },
      { ...before, spec: { ...spec, tolerations: [] }, status: null },
      // Parts moved to another field, where they were not decoded before.
      { ...before, spec: { ...spec, nodeSelector: metadata.labels, affinity: metadata } },
    ]) {
      expect(decodeTyped(pod, patched, "json", before)).toEqual(decodeTyped(pod, patched));
    }
    expect(decodeTyped(pod, { ...before }, "json", before).value.spec).toBe(spec);
    expect(() => decodeTyped(pod, { ...before, spec: { ...spec, containers: {} } }, "json", before)).toThrow(
      "json: cannot unmarshal object",
    );
  });

  it("names unknown fields with their paths", () => {
    const { unknownFields } = decodeTyped(pod, {
      metadata: { x: 1 },
      spec: { containers: [{ name: "a" }, { foo: 1 }] },
      y: 1,
    });
    expect(unknownFields).toEqual(["metadata.x", "spec.containers[1].foo", "y"]);
  });

  it.each([
    [
      deployment,
      { spec: { replicas: "1" } },
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      deployment,
      { spec: { replicas: 3e9 } },
      "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      deployment,
      { spec: { template: { spec: { containers: {} } } } },
      "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      pod,
      { spec: { containers: [{ livenessProbe: { httpGet: { port: true } } }] } },
      "json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
    ],
    [
      pod,
      { metadata: { creationTimestamp: "x" } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      pod,
      { spec: { containers: [{ resources: { limits: { cpu: "x" } } }] } },
      "quantities must match the regular expression",
    ],
    [configMap, { data: { a: 1 } }, "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"],
    [configMap, [], "json: cannot unmarshal array into Go value of type v1.ConfigMap"],
  ])("refuses values of the wrong type with Go's messages", (type, value, message) => {
    expect(() => decodeTyped(type, value)).toThrow(message);
  });

  it("handles any JSON without polluting prototypes", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(pod, configMap, deployment), (text, type) => {
        const input: unknown = JSON.parse(text.replaceAll('"a"', '"__proto__"'));
        try {
          decodeTyped(type, { metadata: input, spec: input, data: input, status: input });
        } catch (error) {
          expect((error as Error).name).toBe("TypedDecodingError");
        }
        expect(({} as Record<string, unknown>).name).toBeUndefined();
      }),
    );
  });
});

describe("Go's JSON", () => {
  it.each([
    ["", "unexpected end of JSON input"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["{x", "invalid character 'x' looking for beginning of object key string"],
    ['{"a" 1', "invalid character '1' after object key"],
    ['{"a":1 2', "invalid character '2' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["{} x", "invalid character 'x' after top-level value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ["-a", "invalid character 'a' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["tru0", "invalid character '0' in literal true (expecting 'e')"],
  ])("%j: %s", (text, message) => {
    expect(() => readGoJson(text)).toThrow(message);
  });

  it("agrees with JSON.parse on valid JSON", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((text) => text.slice(1)),
        ),
        (text) => {
          const isJson = (read: (text: string) => unknown): boolean => {
            try {
              read(text);
              return true;
            } catch {
              return false;
            }
          };
          expect(isJson(readGoJson)).toBe(isJson(JSON.parse));
        },
      ),
    );
  });

  it("lists unknown and duplicate fields in order, and nothing inside unknown ones", () => {
    const text = '{"a":1,"b":{"x":1,"x":2},"a":2,"c":[{"y":1,"y":2}]}';
    expect(strictGoErrors(text, ["b"])).toEqual([
      'unknown field "b"',
      'duplicate field "a"',
      'duplicate field "c[0].y"',
    ]);
  });
});
