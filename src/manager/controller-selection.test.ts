import { describe, expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import {
  controllerAliases,
  knownControllerNames,
  knownControllers,
  offByDefaultNames,
} from "#kit/known-controllers.ts";
import { canonicalSelection, isSelected } from "./controller-selection.ts";
import { registeredControllers, unwrittenControllers } from "./registry.ts";
import { unwrittenProblem } from "./unwritten-selection.ts";

const gates = (values: Record<string, boolean> = {}): FeatureGates => {
  const made = new FeatureGates(featureGateTable(), "1.36");
  made.setFromMap(values);
  return made;
};

describe("--controllers", () => {
  it("machinery/1.5.1 turns aliases into names, with their sign", () => {
    expect(canonicalSelection(["*", "-replicaset", "tokencleaner", "unknown", "-*"])).toEqual([
      "*",
      "-replicaset-controller",
      "token-cleaner-controller",
      "unknown",
      "-*",
    ]);
  });

  it.each([
    [["*"], "replicaset-controller", true],
    [["*"], "token-cleaner-controller", false],
    [["*", "token-cleaner-controller"], "token-cleaner-controller", true],
    [["*", "-replicaset-controller"], "replicaset-controller", false],
    [["-replicaset-controller", "replicaset-controller"], "replicaset-controller", false],
    [["replicaset-controller", "-replicaset-controller"], "replicaset-controller", true],
    [["job-controller"], "replicaset-controller", false],
    [["-job-controller"], "replicaset-controller", false],
    [[], "replicaset-controller", false],
    [["job-controller", "*"], "replicaset-controller", true],
  ] as const)("machinery/1.5.2 %j and %s: %s", (selection, name, wanted) => {
    expect(isSelected(name, selection)).toBe(wanted);
  });

  it("machinery/1.4 knows 52 controllers, none twice, no alias that is a name", () => {
    const names = knownControllers.map(({ name }) => name);
    const aliases = knownControllers.flatMap((controller) => controller.aliases);
    expect(new Set([...names, ...aliases]).size).toBe(names.length + aliases.length);
    expect(knownControllerNames).toHaveLength(52);
    expect(offByDefaultNames).toEqual([
      "bootstrap-signer-controller",
      "selinux-warning-controller",
      "token-cleaner-controller",
    ]);
    expect(controllerAliases.get("svm")).toBe("storage-version-migrator-controller");
  });

  it("every registered controller is a known one, with the known gates", () => {
    for (const { name, featureGates } of registeredControllers) {
      expect(knownControllers).toContainEqual(expect.objectContaining({ name, featureGates }));
    }
  });
});

describe("controllers that are not written", () => {
  const unwritten = unwrittenControllers();

  it("a selection that runs only written ones is fine", () => {
    const names = registeredControllers.map(({ name }) => name);
    expect(unwrittenProblem(names, gates())).toBeUndefined();
    expect(
      unwrittenProblem(
        ["*", ...unwritten].map((name) => (name === "*" ? name : `-${name}`)),
        gates(),
      ),
    ).toBeUndefined();
    expect(unwrittenProblem([], gates())).toBeUndefined();
  });

  it("the list that is proposed runs exactly what can run", () => {
    const problem = unwrittenProblem(["*", "-replicaset-controller"], gates());
    if (unwritten.every((name) => offByDefaultNames.includes(name))) return; // all are written by now
    const list = /use --controllers=(\S+)$/.exec(problem ?? "")?.[1]?.split(",") ?? [];
    expect(unwrittenProblem(list, gates())).toBeUndefined();
    const runs = registeredControllers.filter(({ name }) => isSelected(name, list)).map(({ name }) => name);
    expect(runs).toEqual(
      registeredControllers
        .map(({ name }) => name)
        .filter((name) => name !== "replicaset-controller" && !offByDefaultNames.includes(name)),
    );
  });

  it("machinery/1.5.4 one that its gate keeps off, or that needs a cloud, is not missed", () => {
    expect(unwrittenProblem(["podgroup-protection-controller", "service-lb-controller"], gates())).toBeUndefined();
    if (!unwritten.includes("podgroup-protection-controller")) return;
    expect(unwrittenProblem(["podgroup-protection-controller"], gates({ GenericWorkload: true }))).toContain(
      "podgroup",
    );
  });
});
