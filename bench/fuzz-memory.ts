// Checks whether an API server keeps memory of answered requests. Ends with 1 if it does.
//   bun bench/fuzz-memory.ts [seed] [warm-up requests] [requests]

import { fuzzedMemory, HEAP_GROWTH_MAX, memoryLines, RSS_GROWTH_MAX } from "./fuzzed-server.ts";

const [seed = "1", warmUp = "20000", requests = "10000"] = process.argv.slice(2);
const memory = await fuzzedMemory(seed, Number(warmUp), Number(requests));
process.stdout.write(`${memoryLines(memory)}\n`);
process.exit(memory.heapGrowth > HEAP_GROWTH_MAX || memory.rssGrowth > RSS_GROWTH_MAX ? 1 : 0);
