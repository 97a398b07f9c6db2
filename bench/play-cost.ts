// What a play of a scenario on the embedded server costs: CPU time to open its world, to play, and to close the world.
//   bun bench/play-cost.ts [words]      ROUNDS=3; words as in tools/differential.ts, all scenarios without
// CPU time is that of all threads, so compilation and garbage collection in the background count.

import { openEmbedded } from "#test/stage/embedded.ts";
import { Play } from "#test/stage/play.ts";
import type { Scenario } from "#test/stage/scenario.ts";
import { findScenarios } from "#test/stage/scenario-files.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 3);

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

interface Cost {
  readonly openMs: number;
  readonly playMs: number;
  readonly closeMs: number;
}

async function costOf(scenario: Scenario): Promise<Cost> {
  const began = cpuMs();
  const cluster = await openEmbedded(scenario);
  const opened = cpuMs();
  await new Play(scenario, cluster.backend).run();
  const played = cpuMs();
  await cluster.stop();
  return { openMs: opened - began, playMs: played - opened, closeMs: cpuMs() - played };
}

const scenarios = (await findScenarios(process.argv.slice(2))).filter(({ realOnly }) => realOnly === undefined);
for (let round = 1; round <= ROUNDS; round++) {
  const costs: Cost[] = [];
  for (const scenario of scenarios) costs.push(await costOf(scenario));
  const mean = (figure: keyof Cost): string =>
    (costs.reduce((sum, cost) => sum + cost[figure], 0) / costs.length).toFixed(1);
  process.stdout.write(
    `round ${round}, ${costs.length} plays: each ${mean("openMs")} CPU-ms to open, ${mean("playMs")} to play, ${mean("closeMs")} to close\n`,
  );
}
process.exit(0);
