// Plays all judge cases on the real kube-apiserver and records its answers, so that `make test` can compare with them
// without a Go program. `bun tools/judge-record.ts [suite …]`.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringifyJson } from "#base/json.ts";
import { type JudgeCase, playCase } from "#test/judge/case.ts";
import { teachCustomKind } from "#test/judge/custom-kind.ts";
import { realSubject } from "#test/judge/exchange.ts";
import { flagsOf, type JudgeSettings, moreSettings, plainSettings } from "#test/judge/judge-flags.ts";
import { folderOfRecords, settingsOf, suites } from "#test/judge/suites.ts";
import { startControlPlane } from "#test/real/control-plane.ts";

const wanted = process.argv.slice(2);
mkdirSync(folderOfRecords, { recursive: true });
for (const settings of [plainSettings, moreSettings]) {
  const chosen = Object.entries(suites).filter(
    ([suite]) => settingsOf(suite) === settings && (wanted.length === 0 || wanted.includes(suite)),
  );
  if (chosen.length > 0) await record(settings, chosen);
}

async function record(
  settings: JudgeSettings,
  chosen: readonly (readonly [string, readonly JudgeCase[]])[],
): Promise<void> {
  const plane = await startControlPlane({ apiServerFlags: flagsOf(settings) });
  const real = await realSubject(plane);
  try {
    await teachCustomKind(real);
    for (const [suite, cases] of chosen) {
      const lines: string[] = [];
      for (const [index, judged] of cases.entries()) {
        const answers = await playCase(judged, `${suite}-${index}`, real);
        lines.push(`${JSON.stringify(judged.name)}: ${stringifyJson(answers)}`);
      }
      const file = join(folderOfRecords, `${suite}.json`);
      const text = `{\n${lines.join(",\n")}\n}\n`;
      writeFileSync(file, text);
      process.stdout.write(`${file}: ${cases.length} cases, ${text.length} bytes\n`);
    }
  } finally {
    real.close();
    await plane.stop();
  }
}
