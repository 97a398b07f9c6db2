// The contract of the server over both transports within the process.

import { describeDeletes } from "./deletes.contract.ts";
import { describeReads } from "./reads.contract.ts";
import { inProcess } from "./testing.ts";
import { describeSlowWatchers, describeWatches } from "./watches.contract.ts";
import { describeWrites } from "./writes.contract.ts";

for (const subject of [inProcess("bytes"), inProcess("direct")]) {
  describeReads(subject);
  describeWatches(subject);
  describeSlowWatchers(subject);
  describeWrites(subject);
  describeDeletes(subject);
}
