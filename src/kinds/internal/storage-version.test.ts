import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/storageversions.internal.apiserver.k8s.io.json" with { type: "json" };
import { storageVersion } from "./storage-version.ts";

judgeStrategy(storageVersion, vectors);
