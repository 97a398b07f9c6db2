import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/volumeattributesclasses.storage.k8s.io.json" with { type: "json" };
import { volumeAttributesClass } from "./volume-attributes-class.ts";

judgeStrategy(volumeAttributesClass, vectors);
