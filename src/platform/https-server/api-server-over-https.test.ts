// The whole behaviour of the API server over real sockets: HTTP/1.1 with this runtime's own client, and h2.

import { afterAll, afterEach } from "vitest";
import { describeDeletes } from "#apiserver/deletes.contract.ts";
import { describeReads } from "#apiserver/reads.contract.ts";
import { describeWatches } from "#apiserver/watches.contract.ts";
import { describeWrites } from "#apiserver/writes.contract.ts";
import { createHttpClient } from "../http-client/http-client.ts";
import { ApiServersOverHttps, adminOptions } from "./api-server-over-https.testing.ts";
import { http2Transport } from "./http2-transport.testing.ts";

// Node's client would choose h2.
const stage1 = await ApiServersOverHttps.start({ disableHttp2: true });
const stage2 = await ApiServersOverHttps.start();
const http1 = await createHttpClient(adminOptions(stage1.https.port));
const http2 = http2Transport(adminOptions(stage2.https.port));

afterEach(() => {
  stage1.closeServers();
  stage2.closeServers();
});
afterAll(async () => {
  http1.close();
  http2.close();
  await stage1.https.close();
  await stage2.https.close();
});

for (const subject of [stage1.subject("HTTP/1.1", http1), stage2.subject("h2", http2)]) {
  describeReads(subject);
  describeWatches(subject);
  describeWrites(subject);
  describeDeletes(subject);
}
