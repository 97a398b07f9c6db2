import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/storageclasses.storage.k8s.io.json" with { type: "json" };
import { storageClass } from "./storage-class.ts";

judgeStrategy(storageClass, vectors);
