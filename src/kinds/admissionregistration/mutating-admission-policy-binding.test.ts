import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/mutatingadmissionpolicybindings.admissionregistration.k8s.io.json" with {
  type: "json",
};
import { mutatingAdmissionPolicyBinding } from "./mutating-admission-policy-binding.ts";

judgeStrategy(mutatingAdmissionPolicyBinding, vectors);
