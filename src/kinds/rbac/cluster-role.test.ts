import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/clusterroles.rbac.authorization.k8s.io.json" with { type: "json" };
import { clusterRole } from "./cluster-role.ts";

judgeStrategy(clusterRole, vectors);
