import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/workloads.scheduling.k8s.io.json" with { type: "json" };
import { workload } from "./workload.ts";

judgeStrategy(workload, vectors);
