import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/clusterrolebindings.rbac.authorization.k8s.io.json" with { type: "json" };
import { clusterRoleBinding } from "./cluster-role-binding.ts";

judgeStrategy(clusterRoleBinding, vectors);
