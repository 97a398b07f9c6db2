import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/resourcepoolstatusrequests.resource.k8s.io.json" with { type: "json" };
import { resourcePoolStatusRequest } from "./resource-pool-status-request.ts";

judgeStrategy(resourcePoolStatusRequest, vectors);
