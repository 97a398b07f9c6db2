// The results of bench/daemon.ts and the section of docs/benchmarks.md that is made of them.

export type Side = "go" | "ours";

export interface DaemonResults {
  readonly at: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly loadBefore: number;
  readonly controllers: readonly string[];
  readonly idleSeconds: number;
  /** From the start of the process to the first write of the last controller, in ms. */
  readonly startMs: Readonly<Record<Side, readonly number[]>>;
  /** From the start of the process to holding the lease, in ms. */
  readonly leadMs: Readonly<Record<Side, readonly number[]>>;
  readonly idleRssMib: Readonly<Record<Side, readonly number[]>>;
  /** The private part of the resident memory; the rest are pages of program files. */
  readonly idlePrivateMib: Readonly<Record<Side, readonly number[]>>;
  /** Milliseconds of CPU per minute. */
  readonly idleCpuMs: Readonly<Record<Side, readonly number[]>>;
}

const BEGIN = "<!-- daemon: made by bench/daemon.ts from the newest bench/results/daemon-*.json. Do not edit. -->";
const END = "<!-- /daemon -->";

const rows = [
  { key: "leadMs", title: "start to leading, ms", target: undefined, digits: 0 },
  { key: "startMs", title: "start to leading and synced, ms", target: 1, digits: 0 },
  { key: "idleRssMib", title: "idle RSS, MiB", target: 0.7, digits: 1 },
  { key: "idlePrivateMib", title: "of it anonymous, MiB", target: undefined, digits: 1 },
  { key: "idleCpuMs", title: "idle CPU, ms per minute", target: 1, digits: 0 },
] as const;

export function daemonSection(results: DaemonResults): string {
  const versions = Object.entries(results.versions).map(([name, version]) => `${name} ${version}`);
  const lines = [
    BEGIN,
    "## The daemon as a process",
    "",
    "The compiled `dist/kube-controller-manager` against the Go program, same flags, leader election on,",
    `\`--controllers=${results.controllers.join(",")}\`.`,
    `${results.startMs.ours.length} starts each, alternately, on one kube-apiserver; synced means that every controller has`,
    `made its first write (read from the audit log). Idle: ${results.idleRssMib.ours.length} times ${results.idleSeconds} s, both at the same time.`,
    `Medians, in parentheses lowest and highest. ${results.at}, ${results.machine}, load average`,
    `${results.loadBefore.toFixed(2)} before, ${versions.join(", ")}.`,
    "",
    "| | Go | ours | ours / Go | target |",
    "|---|---:|---:|---:|---:|",
    ...rows.map(({ key, title, target, digits }) => {
      const { go, ours } = results[key];
      const ratio = median(ours) / median(go);
      const shownRatio = target !== undefined && ratio > target + 0.005 ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2);
      const limit = target === undefined ? "" : `≤ ${target.toFixed(1)}`;
      return `| ${title} | ${shown(go, digits)} | ${shown(ours, digits)} | ${shownRatio} | ${limit} |`;
    }),
    "",
    "Most of both is program text: pages of the file that the kernel can drop and read again. A program of the same runtime",
    "that does nothing has 12 MiB of it; the JIT of ours takes 8 MiB (without it 8 MiB less were resident), TLS, HTTP and",
    "cryptography 10 MiB. The heap of ours holds 5 MiB of objects.",
    END,
  ];
  return `${lines.join("\n")}\n`;
}

/** The page with this section: replaces the old section, or adds it at the end. */
export function withSection(page: string, section: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end === -1) return `${page === "" ? "# Benchmarks" : page.trimEnd()}\n\n${section}`;
  return page.slice(0, begin) + section.trimEnd() + page.slice(end + END.length);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
}

function shown(values: readonly number[], digits: number): string {
  const range = `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
  return `${median(values).toFixed(digits)} (${range})`;
}
