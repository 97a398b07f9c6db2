// Compiles each program into one file that needs neither Node nor Bun, and asks it for its version.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";

for (const program of ["steersman", "kube-controller-manager"]) {
  const output = `dist/${program}`;
  const flags = ["--bytecode", "--format=esm", "--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"];
  const built = spawnSync(
    process.execPath,
    ["build", "--compile", ...flags, `src/cmd/${program}.ts`, "--outfile", output],
    { encoding: "utf8" },
  );
  if (built.status !== 0) throw new Error(`${program}: ${built.stdout}${built.stderr}`);
  const { status, stdout } = spawnSync(output, ["--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${output} --version failed`);
  process.stdout.write(`${output}: ${stdout.trim()}, ${Math.round(statSync(output).size / 1e6)} MB\n`);
}
