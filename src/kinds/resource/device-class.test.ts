import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/deviceclasses.resource.k8s.io.json" with { type: "json" };
import { deviceClass } from "./device-class.ts";

judgeStrategy(deviceClass, vectors);
