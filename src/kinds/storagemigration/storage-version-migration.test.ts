import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/storageversionmigrations.storagemigration.k8s.io.json" with {
  type: "json",
};
import { storageVersionMigration } from "./storage-version-migration.ts";

judgeStrategy(storageVersionMigration, vectors);
