import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/csistoragecapacities.storage.k8s.io.json" with { type: "json" };
import { csiStorageCapacity } from "./csi-storage-capacity.ts";

judgeStrategy(csiStorageCapacity, vectors);
