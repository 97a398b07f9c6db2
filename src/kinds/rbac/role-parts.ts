// Defaults and columns shared by both kinds of bindings.
// Upstream: pkg/apis/rbac/v1; pkg/printers/internalversion/printers.go

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import { all, each, inner, isZero, type Rule, set, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, type Printer, printer } from "#kinds/parts/printer.ts";
import { RBAC_GROUP } from "./rbac-validation.ts";

const subject: Rule = (object) =>
  isZero(object.apiGroup) && (object.kind === "User" || object.kind === "Group")
    ? set(object, "apiGroup", RBAC_GROUP)
    : object;

export const bindingDefaults: Rule = all(inner("roleRef", zero({ apiGroup: RBAC_GROUP })), each("subjects", subject));

export const bindingPrinter: Printer = printer<rbac.RoleBinding>(
  "Name|Role|Age|Users*|Groups*|ServiceAccounts*",
  (object, now) => {
    const { roleRef, subjects = [] } = object;
    const of = (kind: string): rbac.Subject[] => subjects.filter((subject) => subject.kind === kind);
    const names = (kind: string): string =>
      of(kind)
        .map(({ name }) => name)
        .join(", ");
    const accounts = of("ServiceAccount").map(({ namespace = "", name }) => `${namespace}/${name}`);
    const role = `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`;
    return [nameOf(object), role, ageOf(object, now), names("User"), names("Group"), accounts.join(", ")];
  },
);
