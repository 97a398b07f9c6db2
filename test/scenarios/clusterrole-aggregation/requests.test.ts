// Requests of cluster role aggregation that scenarios do not show.

import { expect, it } from "vitest";
import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import { hostTurn } from "#base/testing.ts";
import { openWire } from "#test/stage/wire-stage.ts";

const labels = { part: "a" };
const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };

it("clusterrole-aggregation/reads-live, clusterrole-aggregation/events, clusterrole-aggregation/metrics asks for nothing but the roles, and tells nobody", async () => {
  const stage = await openWire({ controllers: ["clusterrole-aggregation-controller"] });
  try {
    await stage.of(ClusterRoles).create({ metadata: { name: "part", labels }, rules });
    await stage.of(ClusterRoles).create({ metadata: { name: "all" }, rules: [], aggregationRule });
    await stage.pass(1000);
    expect((await stage.of(ClusterRoles).get("all")).rules).toEqual(rules);
    const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const asked = stage.network.requests
      .map(({ method, path }) => `${method} ${path}`)
      .filter((text) => !/leases|healthz/.test(text));
    expect(new Set(asked)).toEqual(
      new Set([`GET ${ROLES}`, ...["all", "admin", "edit", "view"].map((role) => `PATCH ${ROLES}/${role}`)]),
    );
    expect(stage.metrics.render()).toContain('workqueue_adds_total{name="ClusterRoleAggregator"}');
    expect(stage.metrics.render()).not.toMatch(/^clusterrole/m);
  } finally {
    await stage.stop();
  }
});

it("clusterrole-aggregation/4 applies the same rules once, also when another role changes before the cache has them", async () => {
  const stage = await openWire({ controllers: ["clusterrole-aggregation-controller"] });
  try {
    await stage.of(ClusterRoles).create({ metadata: { name: "part", labels }, rules });
    await stage.pass(1000);
    const isApply = ({ method, path }: { method: string; path: string }): boolean =>
      method === "PATCH" && path.endsWith("/clusterroles/all");
    const applies = Promise.withResolvers<void>();
    stage.network.before(isApply, async () => {
      const object = { metadata: { name: "another" }, rules };
      await stage.client.resource(ClusterRoles).create({ object }, AbortSignal.timeout(1000));
      for (let turn = 0; turn < 5; turn++) await hostTurn();
      stage.hold(ClusterRoles);
      applies.resolve();
    });
    await stage.of(ClusterRoles).create({ metadata: { name: "all" }, rules: [], aggregationRule });
    await stage.pass(10);
    await applies.promise;
    await stage.pass(1000);
    stage.release(ClusterRoles);
    await stage.pass(1000);
    expect((await stage.of(ClusterRoles).get("all")).rules).toEqual(rules);
    expect(stage.network.requests.filter(isApply)).toHaveLength(1);
    const more = [{ verbs: ["list"], apiGroups: [""], resources: ["pods"] }];
    await stage.of(ClusterRoles).create({ metadata: { name: "later", labels }, rules: more });
    await stage.pass(1000);
    expect((await stage.of(ClusterRoles).get("all")).rules).toHaveLength(2);
  } finally {
    await stage.stop();
  }
});
