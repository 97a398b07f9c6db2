// The whole behaviour of the API server over real sockets: HTTP/1.1 with this runtime's own client, and h2.

import { afterAll, afterEach } from "vitest";
import { describeDeletes } from "#apiserver/deletes.contract.ts";
import { describeReads } from "#apiserver/reads.contract.ts";
import { describeWatches } from "#apiserver/watches.contract.ts";
import { describeWrites } from "#apiserver/writes.contract.ts";
import { ApiServersOverHttps, adminOptions } from "./api-server-over-https.testing.ts";
import { createHttpClient } from "./http-client.ts";
import { http2Transport } from "./http2-transport.testing.ts";

const stage = await ApiServersOverHttps.start();
const options = adminOptions(stage.https.port);
const http1 = await createHttpClient(options);
const http2 = http2Transport(options);

afterEach(() => stage.closeServers());
afterAll(async () => {
  http1.close();
  http2.close();
  await stage.https.close();
});

for (const subject of [stage.subject("HTTP/1.1", http1), stage.subject("h2", http2)]) {
  describeReads(subject);
  describeWatches(subject);
  describeWrites(subject);
  describeDeletes(subject);
}
