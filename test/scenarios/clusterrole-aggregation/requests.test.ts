// What no scenario sees of the aggregation of cluster roles.

import { expect, it } from "vitest";
import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { embeddedStage } from "../embedded-stage.ts";
import { FaultyNetwork } from "../faulty-network.ts";

it("clusterrole-aggregation/reads-live, clusterrole-aggregation/events, clusterrole-aggregation/metrics asks for nothing but the roles, and tells nobody", async () => {
  const metrics = new MetricRegistry({ version: "1.36.4" });
  const network = new FaultyNetwork();
  const stage = await embeddedStage({
    controllers: ["clusterrole-aggregation-controller"],
    metrics,
    network: (transport) => network.over(transport),
  });
  try {
    const labels = { part: "a" };
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
    await stage.do(async (client, signal) => {
      const roles = client.resource(ClusterRoles);
      await roles.create({ object: { metadata: { name: "part", labels }, rules } }, signal);
      await roles.create({ object: { metadata: { name: "all" }, rules: [], aggregationRule } }, signal);
    });
    await stage.pass(1000);
    const all = await stage.do((client, signal) => client.resource(ClusterRoles).get({ name: "all" }, signal));
    expect(all.rules).toEqual(rules);
    const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const asked = network.requests
      .map(({ method, path }) => `${method} ${path}`)
      .filter((text) => !/leases|healthz/.test(text));
    expect(new Set(asked)).toEqual(
      new Set([`GET ${ROLES}`, ...["all", "admin", "edit", "view"].map((role) => `PATCH ${ROLES}/${role}`)]),
    );
    expect(metrics.render()).toContain('workqueue_adds_total{name="ClusterRoleAggregator"}');
    expect(metrics.render()).not.toMatch(/^clusterrole/m);
  } finally {
    await stage.stop();
  }
});
