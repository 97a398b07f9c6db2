// Emits src/api/generated/feature-gates.ts: the gates that the kube-controller-manager registers,
// from tools/go/gates. A stage is its version, a letter (A alpha, B beta, G general, D deprecated),
// its default (+ or -), "!" if locked and "@version" if it needs a minimum compatibility version.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { byCodeUnit, emit, jsonLiteral, vectorsDir } from "#tools/generate/emit.ts";
import { runGoTool } from "#tools/generate/upstream.ts";

interface Stage {
  readonly version: string;
  readonly default: boolean;
  readonly preRelease: string;
  readonly lockToDefault: boolean;
  readonly minCompatibilityVersion: string;
}

interface Gates {
  readonly gates: Readonly<Record<string, readonly Stage[]>>;
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
  readonly help: readonly string[];
}

const letters: Readonly<Record<string, string>> = { ALPHA: "A", BETA: "B", "": "G", DEPRECATED: "D" };

/** The feature gate mechanism implements these two itself. */
const isSpecial = (name: string): boolean => name === "AllAlpha" || name === "AllBeta";

export function generateFeatureGates(): void {
  const { gates, dependencies, help } = JSON.parse(runGoTool("gates")) as Gates;
  const rows = Object.entries(gates)
    .filter(([name]) => !isSpecial(name))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, stages]) => [name, stages.map(encodeStage).join(" ")]);
  const needs = Object.entries(dependencies)
    .filter(([, needed]) => needed.length > 0)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, needed]) => [name, needed.toSorted(byCodeUnit)]);
  emit(
    "feature-gates.ts",
    `export const featureStages: string = ${jsonLiteral(Object.fromEntries(rows))};\n\n` +
      `export const featureDependencies: string = ${jsonLiteral(Object.fromEntries(needs))};\n`,
  );
  writeFileSync(join(vectorsDir, "feature-gates.json"), `${JSON.stringify(help)}\n`);
}

function encodeStage(stage: Stage): string {
  const letter = letters[stage.preRelease];
  if (letter === undefined) throw new Error(`unknown stage ${stage.preRelease}`);
  const compatibility = stage.minCompatibilityVersion && `@${stage.minCompatibilityVersion}`;
  return `${stage.version}${letter}${stage.default ? "+" : "-"}${stage.lockToDefault ? "!" : ""}${compatibility}`;
}
