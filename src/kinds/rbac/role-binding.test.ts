import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/rolebindings.rbac.authorization.k8s.io.json" with { type: "json" };
import { roleBinding } from "./role-binding.ts";

judgeStrategy(roleBinding, vectors);
