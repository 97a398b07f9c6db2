import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/validatingadmissionpolicybindings.admissionregistration.k8s.io.json" with {
  type: "json",
};
import { validatingAdmissionPolicyBinding } from "./validating-admission-policy-binding.ts";

judgeStrategy(validatingAdmissionPolicyBinding, vectors);
