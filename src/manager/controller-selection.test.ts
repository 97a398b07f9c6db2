import { describe, expect, it } from "vitest";
import {
  controllerAliases,
  knownControllerNames,
  knownControllers,
  offByDefaultNames,
} from "#kit/known-controllers.ts";
import { canonicalSelection, isSelected } from "./controller-selection.ts";
import { registeredControllers, serviceAccountTokens } from "./registry.ts";

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

  it("machinery/1.4 registers every known controller but the loops of a cloud, with the known gates", () => {
    const registered = [...registeredControllers, serviceAccountTokens].map(({ name }) => name);
    expect(registered.toSorted()).toEqual(
      knownControllers
        .filter(({ isCloud }) => !isCloud)
        .map(({ name }) => name)
        .toSorted(),
    );
    for (const { name, featureGates } of registeredControllers) {
      expect(knownControllers).toContainEqual(expect.objectContaining({ name, featureGates }));
    }
  });
});
