// The recorded answers of a real kube-apiserver (tools/access-record.ts).

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type AccessRecord, accessWorld, askAll, digestOf, inLines, RECORD_FILE } from "./access-questions.ts";
import { embeddedSubject } from "./exchange.ts";

it("machinery/7.5.r2 5,000 random access questions have the answers of the real server", async () => {
  const record = JSON.parse(readFileSync(RECORD_FILE, "utf8")) as AccessRecord;
  const world = accessWorld();
  expect(record.questions).toBe(digestOf(world));
  const server = embeddedSubject();
  try {
    expect(inLines(await askAll(server, world))).toEqual(record.answers);
  } finally {
    server.close();
  }
}, 60_000);
