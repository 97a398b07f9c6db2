import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/pods.json" with { type: "json" };
import { pod } from "./pod.ts";

judgeStrategy(pod, vectors);
