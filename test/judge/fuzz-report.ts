// The results of fuzzed requests as tables: how often the servers agree, by verb and by kind.

import type { AnswerCount, FuzzReport } from "./fuzz.ts";

/** Adds up the reports of several seeds. */
export function merged(reports: readonly FuzzReport[]): FuzzReport {
  return {
    seed: reports.map(({ seed }) => seed).join('", "'),
    verbs: summed(reports.map(({ verbs }) => verbs)),
    kinds: summed(reports.map(({ kinds }) => kinds)),
    disagreements: reports.flatMap(({ disagreements }) => disagreements),
    failures: reports.flatMap(({ failures }) => failures),
  };
}

type Counts = ReadonlyMap<string, AnswerCount>;

function summed(all: readonly Counts[]): Counts {
  const keys = [...new Set(all.flatMap((counts) => [...counts.keys()]))];
  return new Map(keys.map((key) => [key, total(all.flatMap((counts) => counts.get(key) ?? []))]));
}

function total(counts: readonly AnswerCount[]): AnswerCount {
  const sum = (key: keyof AnswerCount): number => counts.reduce((all, count) => all + count[key], 0);
  return {
    requests: sum("requests"),
    succeeded: sum("succeeded"),
    agreed: sum("agreed"),
    agreedInWords: sum("agreedInWords"),
  };
}

export function reportLines({ seed, verbs, kinds, disagreements }: FuzzReport): string {
  const ofWords = disagreements.filter(({ isOfWords }) => isOfWords).length;
  return [
    ...table("verb", verbs),
    "",
    ...table("kind", kinds),
    "",
    `Seed "${seed}", ${disagreements.length - ofWords} disagreements in what answers mean, ${ofWords} in their words only.`,
  ].join("\n");
}

function table(title: string, counts: Counts): readonly string[] {
  const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
  const line = (key: string, { requests, succeeded, agreed, agreedInWords }: AnswerCount): string =>
    `| ${key} | ${requests} | ${percent(succeeded, requests)} | ${percent(agreed, requests)} | ${percent(agreedInWords, requests)} |`;
  return [
    `| ${title} | requests | 2xx on the real server | agreement | and messages |`,
    "|---|---|---|---|---|",
    ...[...counts].sort(([x], [y]) => (x < y ? -1 : 1)).map(([key, count]) => line(key, count)),
    line("all", total([...counts.values()])),
  ];
}
