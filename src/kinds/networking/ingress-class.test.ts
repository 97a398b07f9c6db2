import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/ingressclasses.networking.k8s.io.json" with { type: "json" };
import { ingressClass } from "./ingress-class.ts";

judgeStrategy(ingressClass, vectors);
