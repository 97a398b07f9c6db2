import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/jobs.batch.json" with { type: "json" };
import { job } from "./job.ts";

judgeStrategy(job, vectors);
