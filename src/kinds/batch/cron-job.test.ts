import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/cronjobs.batch.json" with { type: "json" };
import { cronJob } from "./cron-job.ts";

judgeStrategy(cronJob, vectors);
