// docs/daemon.md as an operator reads it: its commands run in order, each on the machine that its block names, and must
// print the output on the page. Its table of series is compared with both programs.

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { daemonOf, sides } from "./daemon.ts";
import { kubeadmMachine, type Machine, systemdMachine } from "./documented-machines.ts";
import { shortLease } from "./leadership.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/daemon.md"), "utf8");
const LIMIT_MS = 120_000;
const REPEATED_MS = 60_000;

interface Step {
  readonly section: string;
  readonly machine: string;
  readonly command: string;
  /** The printed lines. */
  readonly output: readonly string[];
}

/** "```console <machine>" starts a block, "$ " a command. */
function stepsOf(text: string): readonly Step[] {
  return text.split(/^## /m).flatMap((part) => {
    const section = part.split("\n")[0] ?? "";
    return [...part.matchAll(/^```console (\S+)\n(.*?)^```$/gms)].flatMap(([, machine = "", body = ""]) =>
      body
        .split(/^\$ /m)
        .slice(1)
        .map((told) => {
          const [command = "", ...output] = told.trimEnd().split("\n");
          return { section, machine, command, output };
        }),
    );
  });
}

const isFunction = (command: string): boolean => /^\w+\(\) \{/.test(command);
/** Whether the command only reads, so that it may be repeated. */
const isLook = (command: string): boolean => /^(kubectl get|curl|metrics|systemctl is-active)\b/.test(command);

function asExpression(line: string): RegExp {
  const escaped = line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // All machines of the page are this one.
  return new RegExp(`^${escaped.replaceAll("…", ".+").replace(/\bcp-\d(?=_)/g, hostname())}$`);
}

function isAsTold(output: readonly string[], stdout: string): boolean {
  const lines = stdout === "" ? [] : stdout.trimEnd().split("\n");
  return lines.length === output.length && output.every((line, index) => asExpression(line).test(lines[index] ?? ""));
}

describeReal("docs/daemon.md", () => {
  const plane = useControlPlane();
  const machines = new Map<string, Machine>();
  const functions: string[] = [];
  afterAll(() => Promise.all([...machines.values()].map((machine) => machine.stop())));

  const machineOf = async (name: string): Promise<Machine> => {
    const known = machines.get(name);
    if (known !== undefined) return known;
    const isSystemd = name.startsWith("sd-");
    // The machine of the systemd unit has a separate cluster.
    if (isSystemd) for (const machine of machines.values()) await machine.stop();
    const made = await (isSystemd ? systemdMachine : kubeadmMachine)(plane(), name);
    machines.set(name, made);
    return made;
  };

  const sections = Map.groupBy(stepsOf(page), ({ section }) => section);
  it.each([...sections])(
    "prints what the page says: %s",
    async (_, steps) => {
      for (const { machine: name, command, output } of steps) {
        if (isFunction(command)) {
          functions.push(command);
          continue;
        }
        const machine = await machineOf(name);
        const run = async (): Promise<string> => {
          // systemctl is a stand-in, so its output is compared as it is.
          const isPlayed = command.startsWith("systemctl");
          const script = isPlayed ? command : [...functions, command].join("\n");
          const { stdout, stderr } = await machine.run(script);
          return stdout + stderr;
        };
        let printed = await run();
        if (isLook(command) && !isAsTold(output, printed)) {
          await eventually(async () => {
            printed = await run();
            return isAsTold(output, printed) ? true : undefined;
          }, REPEATED_MS).catch(() => undefined);
        }
        if (!isAsTold(output, printed)) expect(`$ ${command}\n${printed}`).toBe(`$ ${command}\n${output.join("\n")}\n`);
      }
    },
    LIMIT_MS * 2,
  );

  it(
    "shows and lacks the series that the table names",
    async () => {
      for (const machine of machines.values()) await machine.stop();
      const rows = [...page.matchAll(/^\| `([^`|]+)` \| (yes|no) \| (yes|no) \|/gm)];
      expect(rows.length).toBeGreaterThan(10);
      for (const [index, side] of sides.entries()) {
        const program = await plane().startManager(daemonOf(side), { flags: shortLease.flags });
        let wrong: readonly string[] = [];
        await eventually(async () => {
          const text = await program.page("/metrics");
          wrong = rows
            .filter(([, series = "", ...isThere]) => hasSeries(text, series) !== (isThere[index] === "yes"))
            .map(([, series]) => `${side}: ${series}`);
          return wrong.length === 0 ? true : undefined;
        }, REPEATED_MS).catch(() => undefined);
        expect(wrong).toEqual([]);
        await program.stop("SIGKILL");
      }
    },
    LIMIT_MS,
  );
});

/** "metric" or "metric{label="value"}". */
function hasSeries(text: string, series: string): boolean {
  const [, name = "", label = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
  return text.split("\n").some((line) => /^\w+/.exec(line)?.[0] === name && line.includes(label));
}
