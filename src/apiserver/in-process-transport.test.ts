// The whole behaviour of the server over both transports within the process.

import { describeDeletes } from "./deletes.contract.ts";
import { describeReads } from "./reads.contract.ts";
import { describeWatches } from "./watches.contract.ts";
import { describeWrites } from "./writes.contract.ts";

for (const transport of ["bytes", "direct"] as const) {
  describeReads(transport, (server) => server[transport]);
  describeWatches(transport, (server) => server[transport]);
  describeWrites(transport, (server) => server[transport]);
  describeDeletes(transport, (server) => server[transport]);
}
