// The printers of built-in kinds, by "resource.group" ("resource" alone in core). Kinds that are
// missing show their name and creation time.

import { CORE_PRINTERS } from "./core.ts";
import { OTHER_PRINTERS } from "./other-groups.ts";
import type { Printer } from "./printer.ts";
import { STORAGE_AND_DEVICE_PRINTERS } from "./storage-and-devices.ts";
import { WORKLOAD_PRINTERS } from "./workloads.ts";

export const builtinPrinters: ReadonlyMap<string, Printer> = new Map(
  Object.entries({ ...CORE_PRINTERS, ...WORKLOAD_PRINTERS, ...OTHER_PRINTERS, ...STORAGE_AND_DEVICE_PRINTERS }),
);
