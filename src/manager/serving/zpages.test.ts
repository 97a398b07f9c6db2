import { expect, it } from "vitest";
import { noLog } from "#base/log.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { decodeText, readBytes } from "#client/codec.ts";
import type { Handler } from "./request.ts";
import { flagzPage, statuszPage } from "./zpages.ts";

const status = {
  startedAtMs: 0,
  runtimeVersion: "r",
  binaryVersion: "1.36.4",
  emulationVersion: "1.36",
  paths: ["/a", "/b"],
};
const textOf = async (page: Handler): Promise<string> => {
  const request = { method: "GET", path: "/", uri: "/", query: "", headers: {}, peer: { address: "" } };
  return decodeText(await readBytes((await page(request, neverAborted())).body));
};
it("machinery/2.3.3 draws what stands between name and value by lot: once for /flagz, each time for /statusz", async () => {
  const flags = new Map([
    ["v", "2"],
    ["master", "x"],
  ]);
  const drawn: string[] = [];
  for (let seed = 0; seed < 40; seed++) {
    const page = flagzPage(() => flags, seededRng(`flagz ${seed}`), noLog);
    const first = await textOf(page);
    for (let again = 0; again < 5; again++) expect(await textOf(page)).toBe(first);
    drawn.push(first);
  }
  const delimiters = drawn.map((text) => /^master(.*)x$/m.exec(text)?.[1]);
  expect(new Set(delimiters)).toEqual(new Set([":", ": ", "=", " "]));
  const page = statuszPage({ clock: testClock(), ...status }, seededRng("statusz"), noLog);
  const texts: string[] = [];
  for (let again = 0; again < 40; again++) texts.push(await textOf(page));
  expect(new Set(texts).size).toBe(4);
  for (const text of [...drawn, ...texts]) {
    expect(text).toMatch(
      /^\nkube-controller-manager (flagz|statusz)\nWarning: This endpoint is not meant to be machine/,
    );
  }
});
