// The printers of built-in kinds, by "resource.group" ("resource" alone in core). Kinds that are
// missing show their name and creation time.

import type { Printer } from "#kinds/parts/printer.ts";
import { CORE_PRINTERS } from "./printers-core.ts";
import { OTHER_PRINTERS } from "./printers-other-groups.ts";
import { STORAGE_AND_DEVICE_PRINTERS } from "./printers-storage-and-devices.ts";
import { WORKLOAD_PRINTERS } from "./printers-workloads.ts";

export const builtinPrinters: ReadonlyMap<string, Printer> = new Map(
  Object.entries({ ...CORE_PRINTERS, ...WORKLOAD_PRINTERS, ...OTHER_PRINTERS, ...STORAGE_AND_DEVICE_PRINTERS }),
);
