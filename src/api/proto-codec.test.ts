// The protobuf codec, compared with upstream's bytes and prints (tools/go/vectors-proto), and with bytes that no
// encoder writes.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "#api/base64.ts";
import { CodecError } from "#api/codec-error.ts";
import { INT64_MAX, INT64_MIN, type Int64, int64Of } from "#api/int64.ts";
import { parseExactJson } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { MessageDecoder } from "#api/proto-decode.ts";
import { SharedValues } from "#api/shared-values.ts";
import vectors from "#test/vectors/proto.json" with { type: "json" };

interface Vector {
  readonly name: string;
  readonly base64: string;
  readonly object: KubeObject & { items?: unknown };
}

const cases: Vector[] = (vectors as string[]).map((row) => {
  const space = row.indexOf(" ");
  const object = parseExactJson(row.slice(space + 1)) as Vector["object"] & { kind: string };
  if (object.kind.endsWith("List") && object.items === null) object.items = [];
  const density = row.length < 1000 ? "empty" : "full";
  return { name: `${object.apiVersion} ${object.kind} (${density})`, base64: row.slice(0, space), object };
});

describe("protobuf codec", () => {
  it.each(cases)("decodes $name as Go prints it, key for key", ({ base64, object }) => {
    const decoded = decodeProtobuf(decodeBase64(base64));
    expect(decoded).toEqual(object);
    expect(Object.keys(decoded)).toEqual(Object.keys(object));
  });

  it.each(cases)("encodes $name to the bytes that Go writes", ({ base64, object }) => {
    expect(encodeBase64(encodeProtobuf(object))).toBe(base64);
  });
});

describe("protobuf codec with shared values", () => {
  const shared = new MessageDecoder(new SharedValues());
  const decode = (base64: string): KubeObject =>
    deepFreeze(decodeProtobuf(decodeBase64(base64), undefined, shared)) as KubeObject;

  it.each(cases)("decodes $name to the same object without managedFields", ({ base64, object }) => {
    expect(decode(base64)).toEqual(withoutManagedFields(object) as KubeObject);
    expect(decode(base64)).toEqual(withoutManagedFields(object) as KubeObject);
  });

  it("has one object for equal messages, and another for those that differ in one byte", () => {
    const containers = [{ name: "main", image: "example/web:1", env: [{ name: "A", value: "b" }] }];
    const pod = (name: string, image: string): Uint8Array =>
      encodeProtobuf({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, labels: { app: "web" } },
        spec: { containers: [{ ...containers[0], image }] },
      } as KubeObject);
    const read = (bytes: Uint8Array): { spec: { containers: object[] }; metadata: { name: string } } =>
      decodeProtobuf(bytes, undefined, shared) as never;
    const [one, two, other] = [pod("a", "example/web:1"), pod("b", "example/web:1"), pod("c", "example/web:2")].map(
      read,
    );
    expect(two?.spec.containers[0]).toBe(one?.spec.containers[0]);
    expect(other?.spec.containers[0]).toMatchObject({ image: "example/web:2" });
    expect([one, two, other].map((each) => each?.metadata.name)).toEqual(["a", "b", "c"]);
  });

  it("adds entries that come later to a list and a map of this object only", () => {
    const entry = (key: string): number[] => message(11, [...message(1, text(key)), ...message(2, text("value"))]);
    const container = (name: string): number[] => message(2, message(1, text(name)));
    const pod = (rest: readonly number[][]): Uint8Array => {
      const [labels = [], containers = []] = rest;
      const metadata = message(1, [...entry("first"), ...message(1, text("name")), ...labels]);
      return enveloped("Pod", [
        ...metadata,
        ...message(2, [...container("one"), ...message(10, text("node")), ...containers]),
      ]);
    };
    const short = pod([]);
    const long = pod([
      [...entry("second"), ...message(3, text("ns")), ...entry("third")],
      [...container("two"), ...message(8, text("account")), ...container("three")],
    ]);
    const later = {
      metadata: { labels: { first: "value", second: "value", third: "value" } },
      spec: { containers: [{ name: "one" }, { name: "two" }, { name: "three" }] },
    };
    const sooner = { metadata: { labels: { first: "value" } }, spec: { containers: [{ name: "one" }] } };
    for (const bytes of [short, long, short, long]) {
      const object = decode(encodeBase64(bytes)) as typeof later;
      expect(object).toMatchObject(bytes === short ? sooner : later);
      expect(object.spec.containers).toHaveLength(bytes === short ? 1 : 3);
      expect(Object.keys(object.metadata.labels)).toHaveLength(bytes === short ? 1 : 3);
      expect(decodeProtobuf(bytes)).toEqual(object as KubeObject);
    }
  });

  it("decodes after any number of errors", () => {
    const nested = message(2, message(2, message(8, message(1, [...message(1, text("cpu")), ...message(2, [0x80])]))));
    const decoder = new MessageDecoder(new SharedValues());
    for (let round = 0; round < 500; round++) {
      expect(() => decodeProtobuf(enveloped("Pod", nested), undefined, decoder)).toThrow(/unexpected end/);
    }
    const whole = enveloped("Pod", message(2, message(2, message(1, text("main")))));
    expect(decodeProtobuf(whole, undefined, decoder)).toMatchObject({ spec: { containers: [{ name: "main" }] } });
  });

  it("decodes an object larger than its buffer, and one after it", () => {
    const data = { large: "x".repeat(100_000) };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data };
    for (const each of [object, { ...object, data: { small: "y" } }]) {
      expect(decode(encodeBase64(encodeProtobuf(each as KubeObject)))).toMatchObject(each);
    }
  });

  it("answers bytes that are not UTF-8 with a typed error, each time", () => {
    const bytes = encodeProtobuf({ apiVersion: "v1", kind: "Pod", metadata: { name: "abcdefgh" } } as KubeObject);
    const at = bytes.indexOf("a".charCodeAt(0), bytes.length - 40);
    bytes[at + 1] = 0xff;
    for (let round = 0; round < 2; round++) {
      expect(() => decodeProtobuf(bytes, undefined, shared)).toThrow(CodecError);
      expect(() => decodeProtobuf(bytes)).toThrow(CodecError);
    }
  });
});

/** managedFields are those of any metadata; a field of the same name elsewhere stays. */
function withoutManagedFields(value: unknown, parent = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutManagedFields(item, parent));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !(key === "managedFields" && parent === "metadata"));
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutManagedFields(child, key)]));
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

function vectorOf(kind: string): Vector {
  return cases.findLast(({ object }) => object.kind === kind) as Vector;
}

/** Drops a seeded choice of keys, at any depth. */
function pruned(value: unknown, keep: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(item, keep));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key === "kind" || key === "apiVersion" || keep())
      .map(([key, child]) => [key, pruned(child, keep)]),
  );
}

describe("protobuf codec, properties", () => {
  it("decodes what it encodes, with any fields set", () => {
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.infiniteStream(fc.boolean()), ({ object }, coins) => {
        const partial = pruned(object, () => coins.next().value) as KubeObject;
        const normal = decodeProtobuf(encodeProtobuf(partial));
        expect(normal).toMatchObject(withoutNulls(partial) as object);
        expect(decodeProtobuf(encodeProtobuf(normal))).toEqual(normal);
      }),
    );
  });

  it("answers truncated bytes with a typed error", () => {
    const bytes = decodeBase64(vectorOf("Deployment").base64);
    for (let length = 0; length < bytes.length; length += 7) {
      try {
        decodeProtobuf(bytes.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(CodecError);
      }
    }
  });

  it("refuses a message that ends inside a field", () => {
    const label = message(11, [...message(1, text("app")), ...message(2, text("web"))]);
    const created = message(8, [8, ...varint(1_700_000_000), 16, 0]);
    const limit = message(1, [...message(1, text("cpu")), ...message(2, message(1, text("100m")))]);
    const container = message(2, [...message(1, text("main")), ...message(8, limit)]);
    const fields = [
      message(1, [...message(1, text("name")), 7 * 8, ...varint(300), ...created, ...label]),
      message(2, [...container, ...container, 4 * 8, ...varint(300), ...message(14, message(4, varint(300)))]),
      message(3, [...message(1, text("Running")), ...message(999, text("unknown"))]),
    ];
    const raw = fields.flat();
    const ends = fields.map((_, index) => fields.slice(0, index).flat().length);
    for (let length = 0; length < raw.length; length++) {
      const cut = enveloped("Pod", raw.slice(0, length));
      for (const decoder of [undefined, new MessageDecoder(new SharedValues())]) {
        const decoded = (): KubeObject => decodeProtobuf(cut, undefined, decoder);
        if (ends.includes(length)) expect(decoded()).toMatchObject({ kind: "Pod" });
        else expect(decoded).toThrow(CodecError);
      }
    }
  });

  it("answers changed bytes with a value, which does not depend on shared values, or a typed error", () => {
    const decoder = new MessageDecoder(new SharedValues());
    const flip = fc.record({ at: fc.nat(), to: fc.nat(255) });
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.array(flip, { minLength: 1, maxLength: 8 }), ({ base64 }, flips) => {
        const bytes = decodeBase64(base64);
        for (const { at, to } of flips) bytes[4 + (at % (bytes.length - 4))] = to;
        try {
          const shared = decodeProtobuf(bytes, undefined, decoder);
          // Errors in managedFields are found only here.
          expect(shared).toEqual(withoutManagedFields(decodeProtobuf(bytes)) as KubeObject);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("answers any bytes behind the prefix with a value or a typed error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        try {
          decodeProtobuf(new Uint8Array([0x6b, 0x38, 0x73, 0, ...noise]), { group: "", version: "v1", kind: "Pod" });
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
    );
  });
});

/** The parts of an object that survive: null is the same as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null && !isEmptyObject(child));
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child)]));
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

describe("protobuf codec, hostile and odd input", () => {
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

  it("keeps a key named __proto__ as a key", () => {
    const data = JSON.parse('{"__proto__":"x","constructor":"y"}');
    const decoded = decodeProtobuf(encodeProtobuf({ ...configMap, data } as KubeObject)) as { data?: object };
    expect(Object.entries(decoded.data ?? {})).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(Object.getPrototypeOf(decoded.data)).toBe(Object.prototype);
  });

  it("refuses deep nesting", () => {
    let schema: object = { type: "string" };
    for (let depth = 0; depth < 1000; depth++) schema = { not: schema };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      spec: { versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }] },
    };
    const bytes = encodeProtobuf(crd as KubeObject);
    expect(() => decodeProtobuf(bytes)).toThrow(/nesting too deep/);
  });

  it.each([
    [{ ...configMap, data: { a: 1 } }, /v1.ConfigMap.Data must be a string, not number/],
    [{ ...configMap, data: [] }, /must be an object, not a list/],
    [{ ...configMap, binaryData: { a: "%" } }, /illegal base64/],
    [{ apiVersion: "v1", kind: "Event", count: 1.5 }, /must be an int32/],
    [{ apiVersion: "v1", kind: "Event", count: 2 ** 31 }, /must be an int32/],
    [{ apiVersion: "v1", kind: "Event", firstTimestamp: "yesterday" }, /cannot parse/],
    [{ apiVersion: "v1", kind: "Pod", metadata: { generation: 2 ** 60 } }, /must be an int64/],
    [{ apiVersion: "example.com/v1", kind: "Foo" }, /no kind "Foo" is registered for version "example.com\/v1"/],
    [{ apiVersion: "v1" }, /'Kind' is missing/],
  ])("refuses to encode %j", (object, message) => {
    expect(() => encodeProtobuf(object as KubeObject)).toThrow(message);
    expect(() => encodeProtobuf(object as KubeObject)).toThrow(CodecError);
  });

  it("refuses bytes that are not its own, empty ones and unknown kinds", () => {
    expect(() => decodeProtobuf(new Uint8Array())).toThrow("empty data");
    expect(() => decodeProtobuf(new TextEncoder().encode("{}"))).toThrow(/expected prefix \[107 56 115 0\]/);
    expect(() => decodeProtobuf(new Uint8Array([0x6b, 0x38, 0x73, 0]))).toThrow("Object 'Kind' is missing");
  });

  it("keeps every int64", () => {
    const roundTrip = (seconds: Int64 | undefined): unknown => {
      const pod = { apiVersion: "v1", kind: "Pod", spec: { terminationGracePeriodSeconds: seconds } };
      return (decodeProtobuf(encodeProtobuf(pod as KubeObject)) as typeof pod).spec.terminationGracePeriodSeconds;
    };
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (value) => {
        expect(roundTrip(value)).toBe(int64Of(value));
        expect(roundTrip(int64Of(value))).toBe(int64Of(value));
      }),
      { examples: [[INT64_MAX], [INT64_MIN], [2n ** 53n], [2n ** 53n - 1n], [-(2n ** 53n)], [-1n], [0n], [2n ** 32n]] },
    );
  });

  it("refuses an integer beyond int64", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { deletionGracePeriodSeconds: INT64_MAX + 1n } };
    expect(() => encodeProtobuf(pod)).toThrow(/must be an int64/);
  });

  it("keeps the integers of raw JSON, even those beyond int64", () => {
    const data = { a: 9223372036854775807n, b: 18446744073709551616n, c: 1 };
    const revision = { apiVersion: "apps/v1", kind: "ControllerRevision", revision: 1, data };
    expect(decodeProtobuf(encodeProtobuf(revision as KubeObject))).toMatchObject({ data });
  });

  it("reads packed lists and skips unknown fields", () => {
    const groups = message(4, [1, 2, 0x7f]);
    const unknown = [...varint(999 * 8), 5, ...message(998, [1, 2, 3]), ...varint(997 * 8 + 1), 0, 0, 0, 0, 0, 0, 0, 0];
    const pod = message(2, message(14, [...unknown, ...groups, ...varint(4 * 8), 5]));
    const decoded = decodeProtobuf(enveloped("Pod", pod));
    expect(decoded).toMatchObject({ spec: { securityContext: { supplementalGroups: [1, 2, 127, 5] } } });
  });

  it("refuses a known field of another wire type", () => {
    expect(() => decodeProtobuf(enveloped("Pod", [8, 1]))).toThrow(/wrong wire type 0/);
  });
});

function enveloped(kind: string, raw: readonly number[]): Uint8Array {
  const typeMeta = [...message(1, text("v1")), ...message(2, text(kind))];
  return new Uint8Array([0x6b, 0x38, 0x73, 0, ...message(1, typeMeta), ...message(2, raw)]);
}

const text = (value: string): number[] => [...new TextEncoder().encode(value)];

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
}

function message(number: number, content: readonly number[]): number[] {
  return [...varint(number * 8 + 2), ...varint(content.length), ...content];
}
