// Sends the 5,000 access questions to a real kube-apiserver and records the answers for `make test`.
//   bun tools/access-record.ts

import { writeFileSync } from "node:fs";
import {
  type AccessRecord,
  accessWorld,
  askAll,
  digestOf,
  inLines,
  RECORD_FILE,
} from "#test/judge/access-questions.ts";
import { realSubject } from "#test/judge/exchange.ts";
import { startControlPlane } from "#test/real/control-plane.ts";

const plane = await startControlPlane();
try {
  const real = await realSubject(plane);
  const world = accessWorld();
  const letters = await askAll(real, world);
  const record: AccessRecord = { questions: digestOf(world), answers: inLines(letters) };
  writeFileSync(RECORD_FILE, `${JSON.stringify(record, undefined, 1)}\n`);
  const count = (letter: string): number => letters.split(letter).length - 1;
  process.stdout.write(
    `${RECORD_FILE}: ${count("y")} allowed, ${count("n")} refused, ${count("m")} with a missing role\n`,
  );
  real.close();
} finally {
  await plane.stop();
}
process.exit(0);
