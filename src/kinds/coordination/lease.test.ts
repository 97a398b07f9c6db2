import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/leases.coordination.k8s.io.json" with { type: "json" };
import { lease } from "./lease.ts";

judgeStrategy(lease, vectors);
