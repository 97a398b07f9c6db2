import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/ingresses.networking.k8s.io.json" with { type: "json" };
import { ingress } from "./ingress.ts";

judgeStrategy(ingress, vectors);
