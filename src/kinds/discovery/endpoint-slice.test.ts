import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/endpointslices.discovery.k8s.io.json" with { type: "json" };
import { endpointSlice } from "./endpoint-slice.ts";

judgeStrategy(endpointSlice, vectors);
