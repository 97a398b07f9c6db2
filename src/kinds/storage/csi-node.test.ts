import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/csinodes.storage.k8s.io.json" with { type: "json" };
import { csiNode } from "./csi-node.ts";

judgeStrategy(csiNode, vectors);
