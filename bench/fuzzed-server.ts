// The memory that an API server keeps under random requests. It runs behind HTTPS in a separate process, so that the
// sender's memory is not counted. A warm-up fills caches and compiles code first.

import { realSubject } from "#test/judge/exchange.ts";
import { fuzzAlone } from "#test/judge/fuzz.ts";
import type { ControlPlane } from "#test/real/control-plane.ts";
import { type MemoryFigures, type ServerProcess, startServerProcess } from "./api-server-subject.ts";

export interface FuzzedMemory {
  readonly warmUpRequests: number;
  readonly requests: number;
  /** After each tenth of the requests, when the store is empty and garbage has been collected. */
  readonly tenths: readonly MemoryFigures[];
  /** The last tenth compared with the second. */
  readonly heapGrowth: number;
  readonly rssGrowth: number;
}

export const HEAP_GROWTH_MAX = 0.05;
export const RSS_GROWTH_MAX = 0.1;

export async function fuzzedMemory(seed: string, warmUpRequests: number, requests: number): Promise<FuzzedMemory> {
  const server = await startServerProcess();
  const seen: MemoryFigures[] = [];
  const subject = await realSubject(asPlane(server, (figures) => seen.push(figures)));
  try {
    await fuzzAlone(subject, { seed: `${seed} warm-up`, requests: warmUpRequests, namespace: "warm-up" });
    await fuzzAlone(subject, { seed, requests, namespace: "measured" });
    const tenths = seen.slice(-10);
    const growth = (key: keyof MemoryFigures): number => (tenths[9]?.[key] ?? 0) / (tenths[1]?.[key] ?? 1) - 1;
    return { warmUpRequests, requests, tenths, heapGrowth: growth("heap"), rssGrowth: growth("rss") };
  } finally {
    subject.close();
    server.stop();
  }
}

/**
 * The parts of a control plane that a subject needs. The subject forgets the history after each tenth; memory is read
 * then.
 */
function asPlane(server: ServerProcess, look: (figures: MemoryFigures) => void): ControlPlane {
  const plane: Pick<ControlPlane, "server"> & Record<string, unknown> = {
    server: `https://127.0.0.1:${server.port}`,
    admin: { certificatePem: server.cert, keyPem: server.key },
    pki: { ca: { certificatePem: server.ca } },
    compactEtcd: async () => {
      await server.forgetHistory();
      look(await server.memory());
    },
    restartApiServer: () => Promise.resolve(),
  };
  return plane as unknown as ControlPlane;
}

export function memoryLines({ warmUpRequests, requests, tenths, heapGrowth, rssGrowth }: FuzzedMemory): string {
  const megabytes = (key: keyof MemoryFigures): string =>
    tenths.map((figures) => (figures[key] / 1e6).toFixed(key === "heap" ? 1 : 0)).join(", ");
  const percent = (growth: number): string => `${growth < 0 ? "−" : "+"}${Math.abs(growth * 100).toFixed(1)} %`;
  const count = (value: number): string => value.toLocaleString("en");
  return [
    `The embedded server alone, in a separate process behind HTTPS, after each tenth of ${count(requests)} requests that`,
    `follow a warm-up of ${count(warmUpRequests)}, with an empty store and garbage collected (\`bun bench/fuzz-memory.ts\`):`,
    `live heap ${megabytes("heap")} MB (last compared with second ${percent(heapGrowth)}, limit 5 %);`,
    `RSS ${megabytes("rss")} MB (${percent(rssGrowth)}, limit 10 %).`,
  ].join("\n");
}
