// Faults in the handling of integers beyond 2^53: each would silently round one, or refuse an object that has one.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  suites: [
    "./src/api/json.test.ts",
    "./src/api/proto-codec.test.ts",
    "./src/api/hash.test.ts",
    "./src/api/apply/field-set.test.ts",
    "./src/base/json.test.ts",
    "./src/client/codec.test.ts",
    "./src/apiserver/int64.test.ts",
    "./src/platform/storage/sqlite-store.test.ts",
  ],
  faults: [
    {
      name: "the client rounds what it reads",
      file: "src/client/codec.ts",
      find: "return parseExactJson(json);",
      replace: "return JSON.parse(json);",
      noticedBy: "integers are exact both ways",
    },
    {
      name: "an integer of 16 digits is never looked at",
      file: "src/api/json.ts",
      find: "-?(?:\\d{17,}|9\\d{15})",
      replace: "-?\\d{17,}",
      noticedBy: "keeps 9007199254740993",
    },
    {
      name: "an integer before the end of an object is never looked at",
      file: "src/api/json.ts",
      find: "(?:$|[\\]\\s},])/;",
      replace: "(?:$|[\\]\\s,])/;",
      noticedBy: "decodes every int64 that it encodes",
    },
    {
      name: "an integer beyond int64 is a bigint where no type refuses it",
      file: "src/api/json.ts",
      find: "(int64Of(BigInt(token)) ?? Number(token))",
      replace: "BigInt(token)",
      noticedBy: "keeps 9223372036854775808",
    },
    {
      name: "protobuf rounds what it reads",
      file: "src/api/proto-reader.ts",
      find: "return Number.isSafeInteger(value) ? value : (BigInt(this.#high) << 32n) | BigInt(this.#low >>> 0);",
      replace: "return value;",
      noticedBy: "keeps every int64",
    },
    {
      name: "protobuf forgets the sign",
      file: "src/api/proto-writer.ts",
      find: "const bits = BigInt.asUintN(64, BigInt(value));",
      replace: "const bits = BigInt.asUintN(63, BigInt(value));",
      noticedBy: "keeps every int64",
    },
    {
      name: "a type takes an integer beyond int64",
      file: "src/api/typed-decoding.ts",
      find: "return BigInt.asIntN(bits, value) === value ? int64Of(value) : undefined;",
      replace: "return value as never;",
      noticedBy: "is a number if possible",
    },
    {
      name: "managed fields round their keys",
      file: "src/api/apply/path-element.ts",
      find: "    return parseExactJson(text);",
      replace: "    return JSON.parse(text);",
      noticedBy: "keep the keys of a client apart",
    },
    {
      name: "the journal rounds what it brings back",
      file: "src/platform/storage/sqlite-store.ts",
      find: "object = parseExactJson(text);",
      replace: "object = JSON.parse(text);",
      noticedBy: "restores every int64",
    },
    {
      name: "the revisions of stateful sets are exact, unlike upstream's",
      file: "src/api/hash.ts",
      find: 'owner === "StatefulSet" ? JSON.parse(stringifyJson(spec)) : spec',
      replace: "spec",
      noticedBy: "hashes controller revisions as upstream does",
    },
  ],
};
