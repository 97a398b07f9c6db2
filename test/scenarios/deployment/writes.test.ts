// The requests of the deployment controller that its own last write could make useless.

import { expect, it } from "vitest";
import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { openWire } from "#test/stage/wire-stage.ts";

it("deployment/16 sends no status that conflicts with the one that the same sync has written", async () => {
  const stage = await openWire({ controllers: ["deployment-controller", "replicaset-controller"] });
  try {
    const labels = { app: "web" };
    const template = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "web", image }] } });
    const spec = { replicas: 2, selector: { matchLabels: labels }, template: template("example/web:1") };
    await stage.of(Deployments).create({ metadata: { name: "web" }, spec });
    await stage.pass(20_000);
    await stage
      .of(Deployments)
      .patch("web", { spec: { paused: true, replicas: 3, template: template("example/web:2") } });
    await stage.pass(20_000);
    await stage.of(Deployments).patch("web", { spec: { paused: false } });
    await stage.pass(20_000);
    expect(await stage.of(ReplicaSets).list()).toHaveLength(2);
    const { metadata, status } = await stage.of(Deployments).get("web");
    expect(status?.observedGeneration).toBe(metadata.generation);
    const writes = stage.world.log.writes.filter(({ target }) => target.endsWith("/deployments/web/status"));
    expect(writes.filter(({ code }) => code !== 200)).toEqual([]);
  } finally {
    await stage.stop();
  }
});

it("deployment/6 creates a ReplicaSet once, although the cache shows its own status first", async () => {
  const stage = await openWire({ controllers: ["deployment-controller"] });
  try {
    stage.hold(ReplicaSets);
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "example/web:1" }] } };
    await stage
      .of(Deployments)
      .create({ metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } });
    await stage.pass(500);
    const creates = () => stage.asked().filter((line) => line === "POST replicasets");
    expect(creates()).toHaveLength(1);
    stage.release(ReplicaSets);
    await stage.pass(20_000);
    expect(creates()).toHaveLength(1);
    expect((await stage.of(Deployments).get("web")).status?.observedGeneration).toBe(1);
  } finally {
    await stage.stop();
  }
});

it("deployment/6 goes on without the ReplicaSet that it has created when the cache does not show it in a second", async () => {
  const stage = await openWire({ controllers: ["deployment-controller"] });
  try {
    stage.hold(ReplicaSets);
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "example/web:1" }] } };
    await stage
      .of(Deployments)
      .create({ metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } });
    await stage.pass(1500);
    expect(stage.asked().filter((line) => line === "POST replicasets").length).toBeGreaterThan(1);
  } finally {
    await stage.stop();
  }
});
