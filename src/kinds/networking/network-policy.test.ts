import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/networkpolicies.networking.k8s.io.json" with { type: "json" };
import { networkPolicy } from "./network-policy.ts";

judgeStrategy(networkPolicy, vectors);
