import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/persistentvolumeclaims.json" with { type: "json" };
import { persistentVolumeClaim } from "./persistent-volume-claim.ts";

judgeStrategy(persistentVolumeClaim, vectors);
