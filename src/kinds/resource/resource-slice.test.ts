import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/resourceslices.resource.k8s.io.json" with { type: "json" };
import { resourceSlice } from "./resource-slice.ts";

judgeStrategy(resourceSlice, vectors);
