// Controllers under their own service accounts: the account is created, a token is requested, and every write of the
// controller comes from that account.

import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { openWire } from "#test/stage/wire-stage.ts";
import { controls, replicaSets } from "./replicas/subject.ts";

const { create, scale } = controls(replicaSets);

describe("a manager with service account credentials", () => {
  it("machinery/7.2.r5, core/1 lets each controller work with its own account's token", async () => {
    const stage = await openWire({ controllers: ["replicaset-controller"], useServiceAccountCredentials: true });
    await create(stage, 2);
    expect(await stage.of(Pods).list()).toHaveLength(2);
    const asked = stage.world.log.requests.map(({ method, target, code }) => `${method} ${target} ${code}`);
    expect(asked).toContain("POST /api/v1/namespaces/kube-system/serviceaccounts 201");
    expect(asked).toContain("POST /api/v1/namespaces/kube-system/serviceaccounts/replicaset-controller/token 201");
    const writers = stage.world.log.writes.filter(({ target }) => target.endsWith("/pods")).map(({ who }) => who);
    expect(writers).toEqual(Array(2).fill("system:serviceaccount:kube-system:replicaset-controller"));
    const listers = stage.world.log.requests.filter(({ target }) => /^.api.*\?.*watch=/.test(target));
    expect(new Set(listers.map(({ who }) => who))).toEqual(new Set(["shared-informers"]));
    await stage.stop();
  });

  it("core/1 renews a token of an hour when a fifth of its life is left", async () => {
    const stage = await openWire({ controllers: ["replicaset-controller"], useServiceAccountCredentials: true });
    const tokens = (): number => stage.world.log.requests.filter(({ target }) => target.endsWith("/token")).length;
    await create(stage, 1);
    expect(tokens()).toBe(1);
    await stage.pass(47 * 60_000);
    await scale(stage, 2);
    expect(tokens()).toBe(1);
    await stage.pass(60_000);
    await scale(stage, 3);
    expect(tokens()).toBe(2);
    await stage.stop();
  });

  it("machinery/7.2.r5 renews its token before it ends", async () => {
    const stage = await openWire({ controllers: ["replicaset-controller"], useServiceAccountCredentials: true });
    await create(stage, 1);
    await stage.pass(3 * 3_600_000);
    await scale(stage, 3);
    const tokens = stage.world.log.requests.filter(({ target }) => target.endsWith("/token"));
    expect(tokens.length).toBeGreaterThan(1);
    expect(stage.world.log.requests.filter(({ code }) => code === 401)).toEqual([]);
    await stage.stop();
  });
});
