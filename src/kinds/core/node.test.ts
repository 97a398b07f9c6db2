import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/nodes.json" with { type: "json" };
import { node } from "./node.ts";

judgeStrategy(node, vectors);
