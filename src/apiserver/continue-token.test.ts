import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const encode = (json: string): string => btoa(json).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

describe("continue token", () => {
  it("decodes to the encoded value", () => {
    const segment = fc.stringMatching(/^[a-z0-9][a-z0-9.:-]{0,20}$/);
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.array(segment, { minLength: 1, maxLength: 2 }), (revision, parts) => {
        const token = { revision, startKey: `${parts.join("/")}\0` };
        expect(decodeContinue(encodeContinue(token))).toEqual(token);
      }),
    );
  });

  it.each([
    ["%", "illegal base64 data at input byte 0"],
    ["abc", "invalid character 'i' looking for beginning of value"],
    [
      encode('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}'),
      "server does not recognize this encoded version meta.k8s.io/v2",
    ],
    [
      encode('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}'),
      "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [encode('{"v":"meta.k8s.io/v1","rv":1,"start":""}'), "encoded start key empty (version meta.k8s.io/v1)"],
    [encode('{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}'), "continue key is not valid: ../x"],
    [encode('{"v":"meta.k8s.io/v1","rv":1,"start":"a//b"}'), "continue key is not valid: a//b"],
  ])("refuses %s", (text, message) => {
    expect(() => decodeContinue(text)).toThrow(message);
  });
});
