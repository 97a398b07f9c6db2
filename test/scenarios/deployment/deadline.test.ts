// The progress deadline of a Deployment without further events: only a timer notices it.

import { expect, it } from "vitest";
import { Deployments } from "#api/generated/resources/apps-v1.ts";
import { openWire } from "#test/stage/wire-stage.ts";

it("deployment/19 looks again when the deadline has passed, without an event", async () => {
  const stage = await openWire({ controllers: ["deployment-controller", "replicaset-controller"] });
  try {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "example/web:1" }] } };
    const spec = { replicas: 1, progressDeadlineSeconds: 30, selector: { matchLabels: labels }, template };
    await stage.of(Deployments).create({ metadata: { name: "web" }, spec });
    const reason = async (): Promise<string | undefined> =>
      (await stage.of(Deployments).get("web")).status?.conditions?.find(({ type }) => type === "Progressing")?.reason;
    await stage.pass(20_000);
    expect(await reason()).toBe("ReplicaSetUpdated");
    await stage.pass(20_000);
    expect(await reason()).toBe("ProgressDeadlineExceeded");
  } finally {
    await stage.stop();
  }
});
