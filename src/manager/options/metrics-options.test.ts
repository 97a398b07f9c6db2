import { describe, expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { readCommandLine } from "../command.ts";
import { type Manifest, registryOptions } from "./metrics-options.ts";

/** Which of three registered metrics a program with these flags shows. */
function shownWith(args: readonly string[], manifest?: Manifest): string[] {
  const verdict = readCommandLine(args, 0);
  if (verdict.kind !== "run") throw new Error(JSON.stringify(verdict));
  const registry = new MetricRegistry(registryOptions(verdict.command.options.metrics, manifest));
  const common = { help: "Counts.", stability: "ALPHA" } as const;
  registry.counter({ ...common, name: "usual_total" }).inc();
  registry.counter({ ...common, name: "hidden_total", deprecatedVersion: "1.35.0" }).inc();
  const labelled = registry.counter({ ...common, name: "labelled_total", labels: ["result"] });
  for (const result of ["good", "bad", "odd"]) labelled.inc([result]);
  return registry.render().match(/^(?:usual|hidden|labelled)_total.*$/gm) ?? [];
}

const labels = (...values: string[]): string[] =>
  values.map((value) => `labelled_total{result="${value.split(" ")[0]}"} ${value.split(" ")[1] ?? 1}`);

describe("the metrics flags", () => {
  it.each<{ id: string; args: string[]; manifest?: Manifest; wanted: string[] }>([
    { id: "machinery/1.7.r129", args: [], wanted: ["usual_total 1", ...labels("bad", "good", "odd")] },
    {
      id: "machinery/1.7.r129",
      args: ["--show-hidden-metrics-for-version=1.35"],
      wanted: ["hidden_total 1", "usual_total 1", ...labels("bad", "good", "odd")],
    },
    {
      id: "machinery/1.7.r130",
      args: ["--disabled-metrics=usual_total", "--disabled-metrics=other,labelled_total"],
      wanted: [],
    },
    {
      id: "machinery/1.7.r131",
      args: ["--allow-metric-labels=labelled_total,result=good,bad"],
      wanted: ["usual_total 1", ...labels("bad", "good", "unexpected")],
    },
    {
      id: "machinery/1.7.r132",
      args: ["--allow-metric-labels-manifest=lists.yaml"],
      manifest: { lists: { "labelled_total,result": "good" } },
      wanted: ["usual_total 1", ...labels("good", "unexpected 2")],
    },
  ])("$id $args", ({ args, manifest, wanted }) => {
    expect(shownWith(args, manifest).sort()).toEqual(wanted.sort());
  });
});
