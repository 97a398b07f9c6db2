// The embedded API server behind its HTTPS port, with the keys of a test cluster, and the files of its clients.

import { readFileSync } from "node:fs";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { defaultPlugins } from "#apiserver/admission/default-plugins.ts";
import { type ApiServer, type ApiServerOptions, createApiServer } from "#apiserver/create-api-server.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { clientCas, serverKeys } from "#cmd/cluster-keys.ts";
import type { ClusterPki } from "#platform/certificates/cluster-pki.ts";
import { startHttpsServer } from "#platform/https-server/https-server.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemRng } from "#platform/system/system-rng.ts";
import { systemTimeZones } from "#platform/system/time-zones.ts";
import type { Pki } from "./pki.ts";

export interface EmbeddedServer {
  readonly url: string;
  readonly server: ApiServer;
  /** Throws if the server failed to answer a request. */
  close(): Promise<void>;
}

export async function startEmbeddedServer(pki: Pki, more: Partial<ApiServerOptions> = {}): Promise<EmbeddedServer> {
  const keys = clusterPki(pki);
  const server = createApiServer({
    clock: systemClock,
    rng: systemRng(),
    log: noLog,
    metrics: noMetrics,
    storage: new MemoryStorage({ clock: systemClock }),
    gates: new FeatureGates(featureGateTable(), "1.36"),
    admission: defaultPlugins,
    timeZones: systemTimeZones(),
    ...serverKeys(keys),
    ...more,
  });
  const errors: unknown[] = [];
  const https = await startHttpsServer({
    host: "127.0.0.1",
    port: 0,
    tls: {
      cert: pki.serving.certificatePem,
      key: pki.serving.keyPem,
      clientCas: clientCas(keys),
    },
    handle: (request, signal) => server.handle(request, signal),
    onError: (error) => errors.push(error),
  });
  return {
    url: `https://127.0.0.1:${https.port}`,
    server,
    close: async () => {
      await https.close();
      server.close();
      if (errors.length > 0) throw new AggregateError(errors, "the embedded server failed to answer");
    },
  };
}

/** The keys of the test cluster in the form of a cluster in one process. */
function clusterPki(pki: Pki): ClusterPki {
  const read = (name: Parameters<Pki["file"]>[0]): string => readFileSync(pki.file(name), "utf8");
  return {
    ca: pki.ca,
    serving: pki.serving,
    admin: pki.clientCertificate("test-admin", ["system:masters"]),
    // This key signs nothing here.
    frontProxyCa: { certificatePem: read("front-proxy-ca.crt"), keyPem: "" },
    frontProxy: pki.frontProxy,
    accountKeyPem: read("service-account.key"),
  };
}
