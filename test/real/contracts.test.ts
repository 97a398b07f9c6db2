// The contracts of the controllers against the roles that a real API server gives them.

import { expect, it } from "vitest";
import { ClusterRoles, Roles } from "#api/generated/resources/rbac-v1.ts";
import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import type { Access } from "#kit/contract.ts";
import { knownController } from "#kit/known-controllers.ts";
import { registeredControllers } from "#manager/registry.ts";
import { profiles } from "#test/stage/profiles.ts";
import { describeReal, useControlPlane } from "./suite.ts";

const { gates, extraVersions } = profiles.alpha;
const gateFlag = `--feature-gates=${Object.keys(gates).map((gate) => `${gate}=true`)}`;
const versionFlag = `--runtime-config=${extraVersions.map((version) => `${version}=true`)}`;

describeReal("the rights of controllers", () => {
  const plane = useControlPlane({ apiServerFlags: [gateFlag, versionFlag] });

  // The token controller uses the manager's own credentials.
  it.each(registeredControllers)(
    "workloads/S5 $name: its role allows every write and live read of its contract",
    async ({ name, contract }) => {
      const role = `system:controller:${knownController(name).identity}`;
      // Some controllers work in one namespace and have a role there.
      const rules: PolicyRule[] = [];
      for (const { group, version, resource } of [ClusterRoles, Roles]) {
        const query = `fieldSelector=metadata.name=${role}`;
        const { text } = await plane().request("GET", `/apis/${group}/${version}/${resource}?${query}`);
        const { items } = JSON.parse(text) as { items: readonly { rules?: readonly PolicyRule[] }[] };
        rules.push(...items.flatMap((item) => item.rules ?? []));
      }
      const refused = [...contract.reads, ...contract.writes].filter(
        (access) => !rules.some((rule) => allows(rule, access)),
      );
      expect(
        refused.map(({ verb, group, resource, subresource }) => [verb, group, resource, subresource].join(" ")),
      ).toEqual([]);
    },
  );
});

function allows({ verbs, apiGroups = [], resources = [] }: PolicyRule, access: Access): boolean {
  const { verb, group, resource, subresource } = access;
  const target = subresource === "" ? resource : `${resource}/${subresource}`;
  const has = (values: readonly string[], wanted: string): boolean => values.includes("*") || values.includes(wanted);
  return has(verbs, verb) && has(apiGroups, group) && has(resources, target);
}
