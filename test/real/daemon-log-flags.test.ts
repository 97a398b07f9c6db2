// The effects of the logging flags in both programs: formats, streams, buffers, verbosity.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { daemonOf, type Ending, finalError, goDaemon, ourDaemon, runToEnd, sides } from "./daemon.ts";
import { useIdleDaemons } from "./idle-daemon.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 180_000;
const GATE = "--feature-gates=LoggingAlphaOptions=true";

describeReal("logging flags", () => {
  const daemons = useIdleDaemons("daemon-log-flags");

  const missing = (): string => join(dirname(daemons().kubeconfig), "missing");
  /** Runs a program that ends at once, because its kubeconfig does not exist. */
  const fail = (command: Command, ...flags: readonly string[]): Promise<Ending> =>
    runToEnd(command, [...daemons().common, "--secure-port=0", `--kubeconfig=${missing()}`, ...flags]);
  const lastObject = (text: string): Record<string, unknown> =>
    JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;

  it(
    "machinery/1.7.r133 --logging-format=json writes one object per line, with the Go program's fields",
    async () => {
      const flags = ["--logging-format=json", "-v=1"];
      const [ours, go] = await Promise.all([fail(ourDaemon, ...flags), fail(goDaemon(), ...flags)]);
      for (const line of ours.stderr.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("ts");
      expect(Object.keys(lastObject(ours.stderr))).toEqual(Object.keys(lastObject(go.stderr)));
      expect(lastObject(ours.stderr).err).toBe(lastObject(go.stderr).err);
      const flagLine = (text: string): unknown =>
        text
          .split("\n")
          .filter((line) => line.includes("FLAG: --v="))
          .map((line) => {
            const { msg, v } = JSON.parse(line) as { msg: string; v: number };
            return [msg.trim(), v];
          });
      expect(flagLine(ours.stderr)).toEqual(flagLine(go.stderr));
      for (const { stderr } of [ours, go]) {
        expect(lastObject(stderr).caller).toMatch(/^[a-z]+\/[a-z]+\.(?:ts|go):\d+$/);
      }
    },
    LIMIT_MS,
  );

  it(
    "writes the Go program's warnings, marked as such and unquoted",
    async () => {
      const flags = [
        "--kubeconfig=",
        "--requestheader-username-headers=X-User",
        "--requestheader-group-headers=X-Group",
      ];
      const warnings = async (command: Command): Promise<readonly string[]> => {
        const { stderr } = await fail(command, ...flags);
        return [...stderr.matchAll(/^(W)\d{4} \S+ +\d+ \S+\] (.*)$/gm)].map(([, letter, text]) => `${letter} ${text}`);
      };
      const [ours, go] = await Promise.all([warnings(ourDaemon), warnings(goDaemon())]);
      expect(go).toHaveLength(4);
      expect(ours).toEqual(go);
    },
    LIMIT_MS,
  );

  describe.each(sides)("%s", (side) => {
    it(
      "machinery/1.7.n1 writes to standard error in both formats, and refuses --vmodule with json",
      async () => {
        for (const format of ["text", "json"]) {
          const ended = await fail(daemonOf(side), `--logging-format=${format}`, "-v=1");
          expect(ended.stdout).toBe("");
          expect(ended.stderr).toContain("FLAG: --v=");
          expect(ended.stderr).toContain("command failed");
        }
        const refused = await fail(daemonOf(side), "--logging-format=json", "--vmodule=a=1");
        expect([refused.code, finalError(refused)]).toEqual([
          1,
          "vmodule: Forbidden: Only supported for text log format",
        ]);
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r135 -v lets more through, under both of its names",
      async () => {
        expect((await fail(daemonOf(side))).stderr).not.toContain("FLAG:");
        for (const flags of [["-v=1"], ["--v=1"], ["-v", "1"], ["-v10"]]) {
          expect((await fail(daemonOf(side), ...flags)).stderr).toContain("FLAG: --v=");
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r136 --vmodule raises the verbosity of the source files it names",
      async () => {
        const file = side === "ours" ? "daemon" : "flags";
        for (const [pattern, isLoud] of [
          [file, true],
          [`${file.slice(0, 3)}*`, true],
          [`other=9,${file}`, true],
          [`${file}.ts`, false],
          ["nothing", false],
        ] as const) {
          const { stderr } = await fail(daemonOf(side), `--vmodule=${pattern}=1`);
          expect([pattern, stderr.includes("] FLAG: --")]).toEqual([pattern, isLoud]);
          if (isLoud) expect(stderr).toMatch(new RegExp(` ${file}\\.(?:go|ts):\\d+\\] FLAG: `));
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r137 --log-text-split-stream and --log-json-split-stream part errors from information",
      async () => {
        for (const format of ["text", "json"]) {
          const flags = [`--logging-format=${format}`, `--log-${format}-split-stream`, "-v=1"];
          const ended = await fail(daemonOf(side), ...flags, GATE);
          expect(ended.stdout).toContain("FLAG: --v=");
          expect(ended.stdout).not.toContain("command failed");
          expect(ended.stderr).toContain("command failed");
          expect(ended.stderr).not.toContain("FLAG:");
          expect(finalError(await fail(daemonOf(side), ...flags))).toContain("Feature LoggingAlphaOptions is disabled");
        }
      },
      LIMIT_MS,
    );

    it.each(["text", "json"])(
      "machinery/1.7.r134, machinery/1.7.r138 --log-flush-frequency is how long, --log-%s-info-buffer-size how much information is held back",
      async (format) => {
        /** Reads standard output after the port is served. */
        const start = async (buffer: string, every: string): Promise<{ read(): string; kill(): Promise<void> }> => {
          const stdout = join(daemons().directory, `${side}-${format}-${buffer}-${every}`);
          const flags = [
            `--logging-format=${format}`,
            `--log-${format}-split-stream`,
            `--log-${format}-info-buffer-size=${buffer}`,
            `--log-flush-frequency=${every}`,
            "-v=1",
            GATE,
          ];
          const { kill } = await daemons().start(flags, { command: daemonOf(side), stdout });
          return { read: () => readFileSync(stdout, "utf8"), kill };
        };
        const held = await start("1Mi", "1h");
        expect(held.read()).toBe("");
        const flushed = await start("1Mi", "100ms");
        await eventually(() => (flushed.read().includes("Starting") ? true : undefined));
        const full = await start("2Ki", "1h");
        expect(full.read()).toContain("FLAG: --allocate-node-cidrs");
        const unbuffered = await start("0", "1h");
        expect(unbuffered.read()).toContain("Starting");
        expect(full.read().length).toBeLessThan(unbuffered.read().length);
        expect(held.read()).toBe("");
        await Promise.all([held, flushed, full, unbuffered].map(({ kill }) => kill()));
      },
      LIMIT_MS,
    );
  });
});
