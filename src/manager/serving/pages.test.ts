import { expect, it } from "vitest";
import type { HttpBody } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { neverAborted } from "#base/testing.ts";
import { HealthPage } from "./healthz.ts";
import { createPages } from "./pages.ts";
import { HealthRecord } from "./slis.ts";

it("machinery/2.2.r11 reads no more of a new verbosity than a level can have", async () => {
  const verbosity = new LogVerbosity();
  const healthRecord = new HealthRecord();
  const pages = createPages(
    {
      health: new HealthPage([], noLog, healthRecord),
      healthRecord,
      configz: "{}",
      renderMetrics: () => "",
      metricsFormat: { processStartSeconds: 0, gzip: (bytes) => bytes },
      verbosity,
      isProfiling: true,
    },
    new Map(),
  );
  const path = "/debug/flags/v";
  const put = async (body: HttpBody): Promise<number> => {
    const request = { method: "PUT", path, uri: path, query: "", headers: {}, peer: { address: "" }, body };
    return (await pages(request, neverAborted())).status;
  };
  let readBytes = 0;
  async function* digits(): AsyncGenerator<Uint8Array> {
    for (;;) {
      readBytes += 1000;
      yield new TextEncoder().encode("4".repeat(1000));
    }
  }
  expect(await put({ kind: "bytes", bytes: new TextEncoder().encode("4") })).toBe(200);
  expect(await put({ kind: "bytes", bytes: new TextEncoder().encode("5".repeat(1025)) })).toBe(413);
  expect(await put({ kind: "stream", chunks: digits() })).toBe(413);
  expect([readBytes, verbosity.level]).toEqual([2000, 4]);
});
