import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/leasecandidates.coordination.k8s.io.json" with { type: "json" };
import { leaseCandidate } from "./lease-candidate.ts";

judgeStrategy(leaseCandidate, vectors);
