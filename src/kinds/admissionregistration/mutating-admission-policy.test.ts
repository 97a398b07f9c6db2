import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/mutatingadmissionpolicies.admissionregistration.k8s.io.json" with {
  type: "json",
};
import { mutatingAdmissionPolicy } from "./mutating-admission-policy.ts";

judgeStrategy(mutatingAdmissionPolicy, vectors);
