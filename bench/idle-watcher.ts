// The process that idle-watch.ts measures: watches every preferred resource of the server, waits, and prints its
// figures as JSON.

import { createClient } from "#client/create-client.ts";
import { createDiscovery, discoveredResource, preferredResources } from "#client/discovery.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { loadClientConfig } from "#platform/kubeconfig/kubeconfig.ts";
import { createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemRng } from "#platform/system/system-rng.ts";

const SETTLE_MS = 10_000;

export interface IdleFigures {
  readonly resources: number;
  readonly objects: number;
  readonly rssMb: number;
  readonly cpuSeconds: number;
  readonly syncedAfterMs: number;
}

async function watchAll(kubeconfig: string): Promise<IdleFigures> {
  const signal = new AbortController().signal;
  const config = await loadClientConfig({ path: kubeconfig });
  const transport = await createTransport(config, { clock: systemClock });
  const client = createClient({ transport, clock: systemClock, userAgent: "idle-watch" });
  const { lists } = await preferredResources(createDiscovery(client), signal);
  const factory = createInformerFactory({ client, clock: systemClock, rng: systemRng() });
  const informers = lists.flatMap(({ groupVersion, resources }) =>
    resources
      .filter(({ verbs }) => verbs.includes("list") && verbs.includes("watch"))
      .map((resource) => factory.informer(discoveredResource(groupVersion, resource))),
  );
  factory.start();
  await factory.waitForCacheSync(signal);
  const syncedAfterMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const { user, system } = process.cpuUsage();
  return {
    resources: informers.length,
    objects: informers.reduce((count, { store }) => count + store.size, 0),
    rssMb: process.memoryUsage().rss / 1048576,
    cpuSeconds: (user + system) / 1e6,
    syncedAfterMs,
  };
}

const figures = await watchAll(process.argv[2] ?? "");
process.stdout.write(JSON.stringify(figures), () => process.exit(0));
