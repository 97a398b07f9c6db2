import { expect, it } from "vitest";
import { checksumKeys } from "#apiserver/tokens/checksum-keys.ts";
import { withFiles } from "#base/host.ts";
import { SimulatedHost } from "./simulated-host.ts";

const tokenKeys = checksumKeys("secret");

it("a simulated host has the files that were written, and tells of their changes until nobody wants to know", () => {
  const host = new SimulatedHost({ tokenKeys });
  const changes: string[] = [];
  const watch = host.files.watch(["/ca.crt", "/ca.key"], () => changes.push(host.files.read("/ca.crt")));
  host.write("/ca.crt", "first");
  host.write("/other", "unseen");
  host.write("/ca.key", "key");
  watch[Symbol.dispose]();
  host.write("/ca.crt", "second");
  expect([changes, host.files.read("/ca.crt")]).toEqual([["first", "first"], "second"]);
  host.write("/ca.crt", undefined);
  expect(() => host.files.read("/ca.crt")).toThrow("open /ca.crt: no such file or directory");
  expect(withFiles(host, { "/ca.crt": "before" }).files.read("/ca.crt")).toBe("before");
});

it("any text is the key of a simulated host, by which its server knows tokens", () => {
  const { keys } = new SimulatedHost({ tokenKeys });
  const token = keys.readPrivateKey("any").tokenSigner()({ sub: "system:serviceaccount:ns:bot" });
  expect(tokenKeys.verify(token)).toEqual({ claims: { sub: "system:serviceaccount:ns:bot" } });
});
