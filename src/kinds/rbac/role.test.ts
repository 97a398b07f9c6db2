import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/roles.rbac.authorization.k8s.io.json" with { type: "json" };
import { role } from "./role.ts";

judgeStrategy(role, vectors);
