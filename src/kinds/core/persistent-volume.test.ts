import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/persistentvolumes.json" with { type: "json" };
import { persistentVolume } from "./persistent-volume.ts";

judgeStrategy(persistentVolume, vectors);
