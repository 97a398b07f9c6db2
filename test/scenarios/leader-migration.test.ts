// Leader migration: two locks in order, and the controllers under each.

import { describe, expect, it } from "vitest";
import { isAborted } from "#base/errors.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import type { Elector } from "#manager/election/elector.ts";
import { registerElectionMetrics } from "#manager/election/metrics.ts";
import { type LeaderTerm, leadAndRun } from "#manager/lead-and-run.ts";
import { defaultConfig, type LeaderMigrationConfig } from "#manager/options/config.ts";
import { defaultLeaderMigration, lockOf, readLeaderMigration } from "#manager/options/leader-migration.ts";
import { ElectionStage } from "./election-stage.ts";

const migration: LeaderMigrationConfig = {
  leaderName: "migration",
  resourceLock: "leases",
  controllerLeaders: [
    { name: "replicaset-controller", component: "kube-controller-manager" },
    { name: "job-controller", component: "*" },
    { name: "service-controller", component: "cloud-controller-manager" },
    { name: "serviceaccount", component: "*" },
  ],
};

/** A program with this identity; its terms run until they are aborted. */
function startProgram(stage: ElectionStage, identity: string) {
  const { clock, rng } = stage.world;
  const terms: LeaderTerm[] = [];
  const electors: Elector[] = [];
  const exits: number[] = [];
  const stop = new AbortController();
  const ended = leadAndRun(
    {
      clock,
      rng: rng.fork(identity),
      log: noLog,
      metrics: registerElectionMetrics(new MetricRegistry({ version: "1.36.4" })),
      election: defaultConfig.Generic.LeaderElection,
      migration,
      isReleasing: false,
      isCoordinated: false,
      createLock: (name) => stage.lock(identity, name),
      async runTerm(term, signal) {
        terms.push(term);
        await clock.sleep(3_600_000, signal);
      },
      onElection: (elector) => electors.push(elector),
      exit: (code) => exits.push(code),
    },
    stop.signal,
  ).catch((error: unknown) => (isAborted(error) ? undefined : error));
  return { terms, electors, exits, stop, ended };
}

describe("leader migration", () => {
  it("machinery/3.3.1 splits the controllers over two locks", async () => {
    const stage = new ElectionStage("split");
    const { terms } = startProgram(stage, "a");
    await stage.pass(5);
    expect(terms).toHaveLength(1);
    terms[0]?.onTokenControllerRunning?.();
    await stage.pass(5);
    const names = ["replicaset-controller", "job-controller", "service-controller", "serviceaccount-controller"];
    const assigned = terms.map(({ isAssigned }) => names.filter((name) => isAssigned?.(name)));
    expect(assigned).toEqual([["serviceaccount-controller"], ["replicaset-controller", "job-controller"]]);
    expect(terms.map(({ hasTokenController }) => hasTokenController)).toEqual([true, false]);
  });

  it("machinery/3.3.2 does not contend for the second lock before the first is held and tokens are made", async () => {
    const stage = new ElectionStage("order");
    const leader = startProgram(stage, "a");
    await stage.pass(5);
    const standby = startProgram(stage, "b");
    await stage.pass(60);
    const asked = (): string[] => stage.world.log.requests.map(({ target }) => target);
    expect(asked().some((target) => target.endsWith("/migration"))).toBe(false);
    leader.terms[0]?.onTokenControllerRunning?.();
    await stage.pass(5);
    expect(leader.terms).toHaveLength(2);
    expect(standby.electors).toHaveLength(1);
  });

  it("machinery/3.3.6 lets health follow the election that was begun last", async () => {
    const stage = new ElectionStage("watched");
    const { terms, electors } = startProgram(stage, "a");
    await stage.pass(5);
    terms[0]?.onTokenControllerRunning?.();
    await stage.pass(5);
    expect(electors).toHaveLength(2);
    expect(electors.every(({ isLeader }) => isLeader)).toBe(true);
  });

  it("machinery/3.3.7 goes on leading both locks, where the original ends", async () => {
    const stage = new ElectionStage("both");
    const { terms, exits } = startProgram(stage, "a");
    await stage.pass(5);
    terms[0]?.onTokenControllerRunning?.();
    await stage.pass(600);
    expect(terms).toHaveLength(2);
    expect(exits).toEqual([]);
    expect(terms.every(({ lease }) => lease?.isCertain())).toBe(true);
  });

  it("machinery/3.3.5 matches canonical names only", () => {
    expect(lockOf("serviceaccount-controller", migration)).toBe("main");
    expect(lockOf("serviceaccount", migration)).toBe("migration");
    expect(lockOf("service-controller", migration)).toBe("none");
  });

  it("machinery/3.3.4 has a default that concerns no controller of this program but one of a cloud", () => {
    expect(defaultLeaderMigration.leaderName).toBe("cloud-provider-extraction-migration");
    const names = ["route-controller", "service-controller", "cloud-node-lifecycle-controller"];
    expect(names.map((name) => lockOf(name, defaultLeaderMigration))).toEqual(["migration", "migration", "migration"]);
    expect(lockOf("service-lb-controller", defaultLeaderMigration)).toBe("main");
  });
});

describe("the leader migration file", () => {
  const kind = "LeaderMigrationConfiguration";
  const group = "controllermanager.config.k8s.io";
  const leaders = [{ name: "a", component: "*" }];
  it.each([
    [{ apiVersion: `${group}/v1`, leaderName: "x" }, "leases"],
    [{ apiVersion: `${group}/v1beta1`, leaderName: "x", resourceLock: "leases" }, "leases"],
    [{ apiVersion: `${group}/v1alpha1`, leaderName: "x", resourceLock: "endpoints" }, "endpoints"],
  ])("machinery/3.3.3 reads %j", (document, resourceLock) => {
    const config = readLeaderMigration({ kind, controllerLeaders: leaders, ...document }, "");
    expect(config).toEqual({ leaderName: "x", resourceLock, controllerLeaders: leaders });
  });

  it.each([
    [{ apiVersion: `${group}/v1`, leaderName: "x", resourceLock: "leases" }, 'unknown field "resourceLock"'],
    [{ apiVersion: `${group}/v1` }, "leaderName must be set"],
    [{ apiVersion: `${group}/v1`, leaderName: "x", other: 1 }, 'strict decoding error: unknown field "other"'],
    [{ apiVersion: `${group}/v1beta1`, leaderName: "x", resourceLock: "configmaps" }, "must be one of"],
    [{ apiVersion: `${group}/v1`, leaderName: "x", controllerLeaders: [{ name: "a" }] }, "component"],
    [{ apiVersion: `${group}/v2`, leaderName: "x" }, "no kind"],
  ])("machinery/3.3.3 refuses %j", (document, message) => {
    expect(() => readLeaderMigration({ kind, ...document }, "")).toThrow(message);
  });
});
