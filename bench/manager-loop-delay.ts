// Loaded into our manager before its own code (BUN_OPTIONS=--preload): SIGUSR2 starts to look at how late the event
// loop is, the next one writes what was seen to the file that LOOP_DELAY_FILE names.

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
  // In one go, so that nobody reads half of it.
  writeFileSync(`${file}.new`, JSON.stringify({ p99Ms: delays.percentile(99) / 1e6 }));
  renameSync(`${file}.new`, file);
});
