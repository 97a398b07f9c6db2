// The cases by which k8s.io/controller-manager tests its options, leader migration and health page. Checks here answer
// at once, so there are no cases for concurrent requests. Sub-checks are unreachable in this program
// (machinery/2.2.r2), and there is only one component.

import { describe, expect, it } from "vitest";
import { noLog } from "#base/log.ts";
import { readCommandLine } from "./command.ts";
import { canonicalSelection, isSelected } from "./controller-selection.ts";
import type { LeaderMigrationConfig } from "./options/config.ts";
import { lockOf, lockProblem, readLeaderMigration } from "./options/leader-migration.ts";
import { validateOptions } from "./options/validate.ts";
import { type HealthCheck, HealthPage } from "./serving/healthz.ts";
import { HealthRecord } from "./serving/slis.ts";

describe("machinery/8.r3 the generic options", () => {
  const problems = (...args: readonly string[]): readonly string[] => {
    const verdict = readCommandLine(args, 0);
    if (verdict.kind !== "run") throw new Error("it does not get that far");
    return validateOptions(verdict.command.options, verdict.command.gates);
  };

  it.each<{ controllers: string; problem?: string }>([
    { controllers: "*" },
    { controllers: "" },
    { controllers: "job-controller" },
    { controllers: "*,-job-controller,replicaset-controller" },
    { controllers: "token-cleaner-controller" },
    { controllers: "deployment,-job" },
    { controllers: "red-controller", problem: '"red-controller" is not in the list of known controllers' },
    { controllers: "job,-grey-controller", problem: '"grey-controller" is not in the list of known controllers' },
  ])("machinery/1.5.1 --controllers=$controllers", ({ controllers, problem }) => {
    expect(problems(`--controllers=${controllers}`)).toEqual(problem === undefined ? [] : [problem]);
  });

  it("machinery/1.6 only leases can be elected with, when there is an election", () => {
    const lock = "--leader-elect-resource-lock=configmapsleases";
    expect(problems(lock)).toEqual(['resourceLock value must be "leases"']);
    expect(problems(lock, "--leader-elect=false")).toEqual([]);
  });

  it.each([
    { given: ["*"], becomes: ["*"] },
    { given: ["-job-controller"], becomes: ["-job-controller"] },
    {
      given: ["*", "token-cleaner-controller", "-job-controller"],
      becomes: ["*", "token-cleaner-controller", "-job-controller"],
    },
    {
      given: ["bootstrapsigner", "-job", "podgc", "-svm"],
      becomes: [
        "bootstrap-signer-controller",
        "-job-controller",
        "pod-garbage-collector-controller",
        "-storage-version-migrator-controller",
      ],
    },
  ])("machinery/1.5.1 $given becomes $becomes", ({ given, becomes }) => {
    expect(canonicalSelection(given)).toEqual(becomes);
  });

  it.each([
    {
      what: "on by name",
      name: "job-controller",
      selection: ["deployment-controller", "job-controller", "-cronjob-controller"],
      isOn: true,
    },
    {
      what: "off by name",
      name: "cronjob-controller",
      selection: ["deployment-controller", "job-controller", "-cronjob-controller"],
      isOn: false,
    },
    { what: "on by default", name: "deployment-controller", selection: ["*"], isOn: true },
    { what: "off by default", name: "token-cleaner-controller", selection: ["*"], isOn: false },
    {
      what: "on by star, not off by name",
      name: "deployment-controller",
      selection: ["*", "-cronjob-controller"],
      isOn: true,
    },
    { what: "off by name with star", name: "cronjob-controller", selection: ["*", "-cronjob-controller"], isOn: false },
    {
      what: "not named, without a star",
      name: "ttl-controller",
      selection: ["deployment-controller", "-cronjob-controller"],
      isOn: false,
    },
  ])("machinery/1.5.2 $what", ({ name, selection, isOn }) => {
    expect(isSelected(name, selection)).toBe(isOn);
  });
});

describe("machinery/8.r3 leader migration", () => {
  const group = "controllermanager.config.k8s.io";
  const kind = "LeaderMigrationConfiguration";
  const leaders = (component: string) =>
    ["route-controller", "service-controller", "cloud-node-lifecycle-controller"].map((name) => ({ name, component }));

  it.each<{ what: string; document: object; config?: LeaderMigrationConfig }>([
    { what: "nothing", document: {} },
    { what: "another kind", document: { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" } },
    {
      what: "the least",
      document: {
        apiVersion: `${group}/v1alpha1`,
        kind,
        leaderName: "x",
        resourceLock: "leases",
        controllerLeaders: [],
      },
      config: { leaderName: "x", resourceLock: "leases", controllerLeaders: [] },
    },
    {
      what: "endpoints",
      document: {
        apiVersion: `${group}/v1alpha1`,
        kind,
        leaderName: "x",
        resourceLock: "endpoints",
        controllerLeaders: [],
      },
      config: { leaderName: "x", resourceLock: "endpoints", controllerLeaders: [] },
    },
    {
      what: "v1beta1",
      document: {
        apiVersion: `${group}/v1beta1`,
        kind,
        leaderName: "x",
        resourceLock: "leases",
        controllerLeaders: [],
      },
      config: { leaderName: "x", resourceLock: "leases", controllerLeaders: [] },
    },
    {
      what: "v1, which knows no other lock than leases",
      document: { apiVersion: `${group}/v1`, kind, leaderName: "x", controllerLeaders: leaders("*") },
      config: { leaderName: "x", resourceLock: "leases", controllerLeaders: leaders("*") },
    },
    { what: "an unknown field", document: { apiVersion: `${group}/v1`, kind, leaderName: "x", foo: "bar" } },
    { what: "no name", document: { apiVersion: `${group}/v1`, kind, leaderName: "", controllerLeaders: [] } },
    {
      what: "an unknown lock",
      document: { apiVersion: `${group}/v1alpha1`, kind, leaderName: "x", resourceLock: "invalid" },
    },
  ])("machinery/3.3.3 a file with $what", ({ document, config }) => {
    const read = () => readLeaderMigration(document, "");
    if (config === undefined) expect(read).toThrow();
    else expect(read()).toEqual(config);
  });

  it("machinery/3.3.3 the lock of endpoints is read, and cannot be created", () => {
    const config: LeaderMigrationConfig = { leaderName: "x", resourceLock: "leases", controllerLeaders: [] };
    expect(lockProblem(config)).toBeUndefined();
    expect(lockProblem({ ...config, resourceLock: "endpoints" })).toBe("endpoints lock is removed, migrate to leases");
  });

  it.each([
    { component: "kube-controller-manager", lock: "migration" },
    { component: "cloud-controller-manager", lock: "none" },
    { component: "*", lock: "migration" },
  ])("machinery/3.3.1 controllers of $component run here under: $lock", ({ component, lock }) => {
    const config: LeaderMigrationConfig = {
      leaderName: "x",
      resourceLock: "leases",
      controllerLeaders: leaders(component),
    };
    expect(lockOf("deployment-controller", config)).toBe("main");
    for (const { name } of leaders(component)) expect(lockOf(name, config)).toBe(lock as "none");
  });
});

describe("machinery/8.r3 the health page", () => {
  const check = (name: string, problem?: string): HealthCheck => ({ name, problem: () => problem });
  const bad = check("bad", "bad");
  const ask = (page: HealthPage, query = ""): string => {
    const request = { method: "GET", path: "/healthz", uri: "/healthz", query, headers: {}, peer: { address: "" } };
    const { status, body } = page.handle(request);
    return `${status} ${body.kind === "bytes" ? new TextDecoder().decode(body.bytes) : ""}`;
  };
  const failed = "500 [+]good ok\n[-]bad failed: reason withheld\nhealthz check failed\n";

  it.each([
    { what: "no checks", batches: [], answer: "200 ok" },
    { what: "a good one", batches: [[check("good")]], answer: "200 ok" },
    {
      what: "a good one, at length",
      batches: [[check("good")]],
      query: "verbose=true",
      answer: "200 [+]good ok\nhealthz check passed\n",
    },
    { what: "a good and a bad one", batches: [[check("good"), bad]], answer: failed },
    { what: "a good one, then a bad one", batches: [[check("good")], [bad]], answer: failed },
  ])("machinery/2.2.r1 $what", ({ batches, query = "", answer }) => {
    const page = new HealthPage([], noLog, new HealthRecord());
    for (const batch of batches) page.add(...batch);
    expect(ask(page, query)).toBe(answer);
  });

  it("machinery/2.2.r1 turns bad when a bad one is added", () => {
    const page = new HealthPage([check("foo"), check("bar")], noLog, new HealthRecord());
    expect(ask(page)).toBe("200 ok");
    page.add(bad);
    expect(ask(page).startsWith("500")).toBe(true);
  });
});
