// The results of `make bench`: the stored figures of a run, medians and spread, and the section of docs/benchmarks.md.

/** A set of measurements: a section of the page, and result files. */
export interface Suite {
  /** The name in the files of bench/results and in the markers of the page. */
  readonly name: "manager" | "whole-manager";
  readonly title: string;
  /** Continues "Ours against the Go manager, …". */
  readonly setting: string;
  readonly rssTarget: number;
}

const begin = ({ name }: Suite): string =>
  name === "manager"
    ? "<!-- controllers: made by bench/manager.ts from the newest bench/results/manager-*.json. Do not edit. -->"
    : `<!-- ${name}: made by bench/manager.ts from the newest bench/results/${name}-*.json. Do not edit. -->`;
const end = ({ name }: Suite): string => (name === "manager" ? "<!-- /controllers -->" : `<!-- /${name} -->`);

export type ManagerName = "go" | "ours";

/** One workload of one run. */
export interface Sample {
  readonly workload: string;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakRssMib: number;
  readonly apiServerCpuMs: number;
  readonly apiCalls: number;
  /** By verb and resource: "create pods". */
  readonly apiCallsBy: Readonly<Record<string, number>>;
  /** Only for ours. */
  readonly loopDelayP99Ms?: number;
}

export interface Run {
  readonly manager: ManagerName;
  readonly round: number;
  /** The load average before the run: other work makes wall times worthless. */
  readonly load?: number;
  readonly samples: readonly Sample[];
}

export interface Results {
  readonly at: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  /** The load average before the first run. */
  readonly loadBefore: number;
  readonly runs: readonly Run[];
}

interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

type MeasureKey = "wallMs" | "cpuMs" | "peakRssMib" | "apiCalls" | "apiServerCpuMs";

interface Measure {
  readonly key: MeasureKey;
  readonly title: string;
  readonly unit: string;
  readonly target: number | undefined;
}

const ROUNDING = 0.005;
/** Above this load, the processors of the benchmark machine are shared. */
const LOAD_MAX = 2;
/** Starts and idle periods have other targets. */
const RESTING = /^(start|idle)/;
const RESTING_TARGETS: Partial<Record<MeasureKey, number>> = { cpuMs: 0.8, peakRssMib: 0.6 };

const measuresOf = ({ name, rssTarget }: Suite): readonly Measure[] => [
  { key: "wallMs", title: "wall", unit: "ms", target: 1.0 },
  { key: "cpuMs", title: "CPU", unit: "ms", target: 0.7 },
  { key: "peakRssMib", title: "peak RSS", unit: "MiB", target: rssTarget },
  { key: "apiCalls", title: "API calls", unit: "", target: 1.0 },
  { key: "apiServerCpuMs", title: "CPU of the API server", unit: "ms", target: name === "manager" ? undefined : 1.0 },
];

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return { median: (lower + upper) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Replaces older runs of the same workloads and sorts them in the order of the workloads. */
export function withRuns(older: Results, { runs, ...rest }: Results, order: readonly (string | undefined)[]): Results {
  const isNew = new Set(runs.flatMap(({ samples }) => samples.map(({ workload }) => workload)));
  const kept = older.runs.filter(({ samples }) => !samples.some(({ workload }) => isNew.has(workload)));
  const rank = ({ samples }: Run): number => order.indexOf(samples[0]?.workload);
  return { ...rest, loadBefore: older.loadBefore, runs: [...kept, ...runs].sort((a, b) => rank(a) - rank(b)) };
}

export function printSection(results: Results, suite: Suite): string {
  const measures = measuresOf(suite);
  const workloads = [...new Set(results.runs.flatMap(({ samples }) => samples.map(({ workload }) => workload)))];
  const samplesOf = (manager: ManagerName, workload: string): readonly Sample[] =>
    results.runs
      .filter((run) => run.manager === manager)
      .flatMap(({ samples }) => samples.filter((sample) => sample.workload === workload));
  const valuesOf = (manager: ManagerName, workload: string, key: MeasureKey): Spread =>
    spreadOf(samplesOf(manager, workload).map((sample) => sample[key]));
  const ratioOf = (workload: string, { key, target: usual }: Measure): string => {
    const median = valuesOf("ours", workload, key).median / valuesOf("go", workload, key).median;
    if (!Number.isFinite(median)) return "–";
    const go = samplesOf("go", workload).map((sample) => sample[key]);
    const ours = samplesOf("ours", workload).map((sample) => sample[key]);
    const { min, max } = spreadOf(ours.map((value, round) => value / (go[round] ?? Number.NaN)));
    const text = ours.length > 1 ? `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})` : median.toFixed(2);
    const target = RESTING.test(workload) && suite.name === "whole-manager" ? (RESTING_TARGETS[key] ?? usual) : usual;
    if (target === undefined) return text;
    // Not rounded: one more call already misses the target.
    const limit = key === "apiCalls" ? target : target + ROUNDING;
    const isMissed = median > limit;
    const isEither = min <= limit && max > limit;
    return `${isMissed ? `**${text}**` : text}${isEither ? " ±" : ""}`;
  };
  const rounds = spreadOf(workloads.map((workload) => samplesOf("ours", workload).length));
  const loads = spreadOf(results.runs.map(({ load }) => load ?? results.loadBefore));

  const lines = [
    begin(suite),
    `## ${suite.title}`,
    "",
    `Ours against the Go manager of ${results.versions.kubernetes}, ${suite.setting}`,
    "`--kube-api-qps=1000 --kube-api-burst=2000`, each run on a separate kube-apiserver,",
    `alternately, ${range(rounds, 0)} round${rounds.max === 1 ? "" : "s"}: medians, in parentheses lowest and highest. ${results.at}, ${results.machine},`,
    `load average ${range(loads, 2)} before the runs, ${Object.entries(results.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
    "",
    "### Ratios",
    "",
    "Ours divided by Go's; less is better. **Bold** misses the target (of calls by a single one), ± marks rounds on both sides of it.",
    ...(suite.name === "whole-manager" ? ["For starts and idle the targets are CPU ≤ 0.8 and peak RSS ≤ 0.6."] : []),
    ...(loads.max > LOAD_MAX ? ["Other work shared the machine and affects wall times and loop delays."] : []),
    "",
    `| workload | ${measures.map(({ title, target }) => (target === undefined ? title : `${title} (≤ ${target.toFixed(1)})`)).join(" | ")} |`,
    `|---|${measures.map(() => "---:").join("|")}|`,
    ...workloads.map((workload) => {
      const cells = measures.map((measure) => ratioOf(workload, measure));
      return `| ${workload} | ${cells.join(" | ")} |`;
    }),
  ];
  for (const { key, title, unit } of measures) {
    lines.push("", `### ${title[0]?.toUpperCase()}${title.slice(1)}${unit === "" ? "" : `, ${unit}`}`, "");
    lines.push("| workload | Go | ours |", "|---|---:|---:|");
    for (const workload of workloads) {
      lines.push(
        `| ${workload} | ${shown(valuesOf("go", workload, key))} | ${shown(valuesOf("ours", workload, key))} |`,
      );
    }
  }
  const mean = (samples: readonly Sample[], what: string): number =>
    samples.reduce((sum, { apiCallsBy }) => sum + (apiCallsBy[what] ?? 0), 0) / samples.length;
  lines.push(
    "",
    "### Calls that differ by more than a tenth, means",
    "",
    "| workload | call | Go | ours |",
    "|---|---|---:|---:|",
  );
  for (const workload of workloads) {
    const [go, ours] = [samplesOf("go", workload), samplesOf("ours", workload)];
    const calls = new Set([...go, ...ours].flatMap(({ apiCallsBy }) => Object.keys(apiCallsBy)));
    for (const call of [...calls].sort()) {
      const [theirs, own] = [mean(go, call), mean(ours, call)];
      if (Math.abs(theirs - own) <= Math.max(theirs, own) / 10) continue;
      lines.push(`| ${workload} | ${call} | ${theirs.toFixed(1)} | ${own.toFixed(1)} |`);
    }
  }
  const delays = workloads.map((workload) => ({
    workload,
    delay: spreadOf(
      results.runs.flatMap(({ samples }) =>
        samples.flatMap((sample) =>
          sample.workload === workload && sample.loopDelayP99Ms !== undefined ? [sample.loopDelayP99Ms] : [],
        ),
      ),
    ),
  }));
  lines.push("", "### Event-loop delay of ours, p99, ms", "", "| workload | p99 |", "|---|---:|");
  for (const { workload, delay } of delays) lines.push(`| ${workload} | ${shown(delay, 1)} |`);
  return `${[...lines, end(suite)].join("\n")}\n`;
}

/** The page with this section: replaces the old section, or adds it at the end. */
export function withSection(page: string, section: string, suite: Suite): string {
  const from = page.indexOf(begin(suite));
  const to = page.indexOf(end(suite));
  if (from === -1 || to === -1) return `${page === "" ? "# Benchmarks" : page.trimEnd()}\n\n${section}`;
  return page.slice(0, from) + section.trimEnd() + page.slice(to + end(suite).length);
}

function range({ min, max }: Spread, digits: number): string {
  return min === max ? min.toFixed(digits) : `${min.toFixed(digits)} to ${max.toFixed(digits)}`;
}

function shown({ median, min, max }: Spread, digits = 0): string {
  if (Number.isNaN(median)) return "–";
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
