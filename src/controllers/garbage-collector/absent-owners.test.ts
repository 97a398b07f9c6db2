import { describe, expect, it } from "vitest";
import { AbsentOwners } from "./absent-owners.ts";
import type { Identity } from "./identity.ts";

const pod = (uid: string, parts: Partial<Identity> = {}): Identity => ({
  apiVersion: "v1",
  kind: "Pod",
  namespace: "a",
  name: "web",
  uid,
  ...parts,
});

describe("absent owners", () => {
  it("garbage-collector/10 are known by all their coordinates", () => {
    const absent = new AbsentOwners();
    absent.add(pod("1"));
    expect(absent.has(pod("1"))).toBe(true);
    const others = [{ uid: "2" }, { name: "x" }, { kind: "Node" }, { apiVersion: "v2" }, { namespace: "" }];
    for (const other of others) expect(absent.has(pod("1", other))).toBe(false);
  });

  it("garbage-collector/10 are the 500 that were looked up last", () => {
    const absent = new AbsentOwners();
    for (let i = 0; i < 500; i++) absent.add(pod(`${i}`));
    expect(absent.has(pod("0"))).toBe(true);
    absent.add(pod("500"));
    expect(absent.has(pod("0"))).toBe(true);
    expect(absent.has(pod("1"))).toBe(false);
  });
});
