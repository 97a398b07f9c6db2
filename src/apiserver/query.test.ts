import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePercent, parseQuery } from "./query.ts";

describe("query", () => {
  it("decodes like Go and drops undecodable pairs", () => {
    const query = parseQuery("a=1&a=2&b=%20x+y&c&=d&bad=%zz&semi;colon=1&e=%E2%82%AC");
    expect(query.all("a")).toEqual(["1", "2"]);
    expect(query.text("b")).toBe(" x y");
    expect([query.text("c"), query.flag("c")]).toEqual(["", true]);
    expect(query.text("")).toBe("d");
    expect(query.optionalFlag("bad")).toBeUndefined();
    expect(query.text("semi;colon")).toBe("");
    expect(query.text("e")).toBe("€");
  });

  it("treats only absence, 0 and false as false", () => {
    const query = parseQuery("a=0&b=FALSE&c=1&d=&e=no");
    expect(["a", "b", "c", "d", "e", "f"].map((name) => query.flag(name))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it("refuses integers with Go's messages", () => {
    expect(parseQuery("n=12").optionalInteger("n")).toBe(12);
    expect(() => parseQuery("n=x").optionalInteger("n")).toThrow('strconv.ParseInt: parsing "x": invalid syntax');
    expect(() => parseQuery("n=99999999999999999999").optionalInteger("n")).toThrow("value out of range");
  });

  it("undoes percent encoding of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodePercent(encodeURIComponent(text.toWellFormed()))).toBe(text.toWellFormed());
      }),
    );
  });
});
