// Sends the same random requests to the embedded and to the real API server and prints how often they
// agree. `bun tools/judge-fuzz.ts [seed] [requests]`; the disagreements go to standard error.

import { embeddedSubject, realSubject } from "#test/judge/exchange.ts";
import { fuzz, reportLines } from "#test/judge/fuzz.ts";
import { startControlPlane } from "#test/real/control-plane.ts";

const [seed = "1", requests = "2000"] = process.argv.slice(2);
const plane = await startControlPlane();
const real = await realSubject(plane);
const embedded = embeddedSubject();
try {
  const report = await fuzz(embedded, real, { seed, requests: Number(requests), namespace: "fuzz" });
  for (const { index, call, what } of report.disagreements) process.stderr.write(`#${index} ${call}\n    ${what}\n`);
  process.stdout.write(`${reportLines(report)}\n`);
  process.exitCode = report.failures.length > 0 ? 1 : 0;
} finally {
  embedded.close();
  real.close();
  await plane.stop();
}
