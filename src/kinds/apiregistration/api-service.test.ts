import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/apiservices.apiregistration.k8s.io.json" with { type: "json" };
import { apiService } from "./api-service.ts";

judgeStrategy(apiService, vectors);
