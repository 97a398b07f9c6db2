// A killed test process leaves no process or file behind.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describeReal, eventually } from "./suite.ts";

describeReal("a killed test process", () => {
  it("leaves no process and no folder", async () => {
    const victim = spawn(process.execPath, [fileURLToPath(new URL("./crash-victim.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise<string>((resolve, reject) => {
      victim.once("exit", (code) => reject(new Error(`ended early with ${code}`)));
      victim.stdout.setEncoding("utf8").once("data", resolve);
    });
    const { pids, directory } = JSON.parse(line) as { pids: number[]; directory: string };
    expect(pids.every(isAlive) && existsSync(directory)).toBe(true);
    victim.kill("SIGKILL");
    await eventually(() => (pids.some(isAlive) || existsSync(directory) ? undefined : true));
  });
});

/** A zombie that init has not reaped yet counts as dead. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, "utf8"));
}
