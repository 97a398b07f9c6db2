import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/validatingadmissionpolicies.admissionregistration.k8s.io.json" with {
  type: "json",
};
import { validatingAdmissionPolicy } from "./validating-admission-policy.ts";

judgeStrategy(validatingAdmissionPolicy, vectors);
