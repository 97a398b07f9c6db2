// Preloaded into our manager (BUN_OPTIONS=--preload): the first SIGUSR2 starts to measure the delay of the event loop,
// the second writes the result to the file LOOP_DELAY_FILE.

import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const file = process.env.LOOP_DELAY_FILE ?? "";
const delays = monitorEventLoopDelay({ resolution: 20 });
let isLooking = false;

process.on("SIGUSR2", () => {
  isLooking = !isLooking;
  if (isLooking) {
    delays.reset();
    delays.enable();
    return;
  }
  delays.disable();
  // Renamed into place, so that no reader sees half of it.
  writeFileSync(`${file}.new`, JSON.stringify({ p99Ms: delays.percentile(99) / 1e6 }));
  renameSync(`${file}.new`, file);
});
