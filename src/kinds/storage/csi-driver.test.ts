import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/csidrivers.storage.k8s.io.json" with { type: "json" };
import { csiDriver } from "./csi-driver.ts";

judgeStrategy(csiDriver, vectors);
