// The cases by which component-base tests its flag types, for the types that this program has.

import { describe, expect, it } from "vitest";
import { readCommandLine } from "../command.ts";
import { tlsPolicy } from "../serving/tls-names.ts";
import { type FlagType, multimap, namedCertKeys } from "./flag-types.ts";

/** The value after the flag was used with these texts. */
function used<V>(type: FlagType<V>, initial: V, texts: readonly string[]): V {
  return texts.reduce((value, text, i) => type.parse(text, value, i === 0), initial);
}

describe("machinery/8.r10 multimaps", () => {
  it.each([
    { texts: [""], value: {} },
    { texts: ["foo"], value: { "": ["foo"] } },
    { texts: [":foo"], value: { "": ["foo"] } },
    { texts: ["one:foo"], value: { one: ["foo"] } },
    { texts: ["one:foo,two:bar"], value: { one: ["foo"], two: ["bar"] } },
    { texts: ["one:foo, two:bar"], value: { one: ["foo"], two: ["bar"] } },
    { texts: ["one: foo, two:bar, one:baz"], value: { one: ["foo", "baz"], two: ["bar"] } },
    {
      texts: ["a:hello,b:again,c:world,b:beautiful"],
      value: { a: ["hello"], b: ["again", "beautiful"], c: ["world"] },
    },
    {
      texts: ["a:hello,b:again", "c:world", "b:beautiful"],
      value: { a: ["hello"], b: ["again", "beautiful"], c: ["world"] },
    },
  ])("$texts is $value", ({ texts, value }) => {
    const parsed = used(multimap, { default: ["x"] }, texts);
    expect(parsed).toEqual(value);
    expect(used(multimap, {}, [multimap.print(parsed)])).toEqual(value);
  });
});

describe("machinery/8.r10 certificates by name", () => {
  const foo = { certFile: "foo.crt", keyFile: "foo.key", names: [] as string[] };
  it.each([
    { texts: [], value: [] },
    { texts: ["foo.crt,foo.key"], value: [foo] },
    { texts: ["  foo.crt , foo.key    "], value: [foo] },
    { texts: ["foo.crt,foo.key:abc"], value: [{ ...foo, names: ["abc"] }] },
    { texts: ["foo.crt,foo.key: abc  "], value: [{ ...foo, names: ["abc"] }] },
    { texts: ["foo.crt,foo.key:abc,def,ghi"], value: [{ ...foo, names: ["abc", "def", "ghi"] }] },
    { texts: ["foo.crt,foo.key:*.*.*"], value: [{ ...foo, names: ["*.*.*"] }] },
    {
      texts: ["foo.crt,foo.key", "bar.crt,bar.key"],
      value: [foo, { certFile: "bar.crt", keyFile: "bar.key", names: [] }],
    },
  ])("$texts", ({ texts, value }) => {
    expect(used(namedCertKeys, [], texts)).toEqual(value);
  });

  it.each([
    { text: "foo.crt,foo.key:", problem: "empty names list is not allowed" },
    { text: "", problem: "expected comma separated certificate and key file paths" },
    { text: "   ", problem: "expected comma separated certificate and key file paths" },
    { text: "a,b,c", problem: "expected comma separated certificate and key file paths" },
  ])("refuses $text", ({ text, problem }) => {
    expect(() => used(namedCertKeys, [], [text])).toThrow(problem);
  });
});

describe("machinery/8.r10 curves and suites", () => {
  const isAcceptable = (flag: string): boolean => {
    const verdict = readCommandLine([flag], 0);
    if (verdict.kind !== "run") return false;
    try {
      tlsPolicy(verdict.command.options.secureServing);
      return true;
    } catch {
      return false;
    }
  };
  it.each([
    ["23,24,29", true],
    ["29", true],
    ["23,24,25,29,4588", true],
    ["23,29,23", false],
    ["0", false],
    ["-1", false],
    ["70000", false],
    ["9999", false],
  ])("--tls-curve-preferences=%s is accepted: %s", (curves, isAccepted) => {
    expect(isAcceptable(`--tls-curve-preferences=${curves}`)).toBe(isAccepted);
  });

  it.each([
    ["TLS_RSA_WITH_AES_128_CBC_SHA,TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", true],
    ["TLS_RSA_WITH_AES_128_CBC_SHA,TLS_RSA_WITH_AES_128_CBC_SHA", true],
    ["TLS_AES_128_GCM_SHA256,TLS_CHACHA20_POLY1305_SHA256", true],
    ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", true],
    ["foo", false],
  ])("--tls-cipher-suites=%s is accepted: %s", (suites, isAccepted) => {
    expect(isAcceptable(`--tls-cipher-suites=${suites}`)).toBe(isAccepted);
  });
});

it.each(["--concurrent-rc-syncs=7", "--concurrent_rc_syncs=7"])("%s: underscores and hyphens are one", (flag) => {
  const verdict = readCommandLine([flag], 0);
  expect(verdict.kind === "run" && verdict.command.options.config.ReplicationController.ConcurrentRCSyncs).toBe(7);
});
