import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { defaultConfig } from "#manager/options/config.ts";
import { defaultOptions } from "#manager/options/options.ts";
import { readMigration } from "./files.ts";

const directory = mkdtempSync(join(tmpdir(), "daemon-files-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

describe("the leader migration file", () => {
  const head = "apiVersion: controllermanager.config.k8s.io/v1alpha1\nkind: LeaderMigrationConfiguration\n";
  const migration = (text?: string) => {
    const Generic = { ...defaultConfig.Generic, LeaderMigrationEnabled: true };
    const leaderMigrationConfigFile = text === undefined ? "" : file("migration.yaml", text);
    return readMigration({ ...defaultOptions, config: { ...defaultConfig, Generic }, leaderMigrationConfigFile });
  };

  it("machinery/8.r3, machinery/3.3.4 has defaults without a file, and is undefined if migration is off", async () => {
    expect(await readMigration(defaultOptions)).toBeUndefined();
    expect((await migration())?.leaderName).toBe("cloud-provider-extraction-migration");
  });

  it("machinery/8.r3, machinery/3.3.3 is YAML", async () => {
    const leaders = "controllerLeaders:\n  - name: route-controller\n    component: kube-controller-manager\n";
    expect(await migration(`${head}leaderName: x\nresourceLock: endpoints\n${leaders}`)).toEqual({
      leaderName: "x",
      resourceLock: "endpoints",
      controllerLeaders: [{ name: "route-controller", component: "kube-controller-manager" }],
    });
  });

  it.each([
    { what: "an empty file", text: "" },
    { what: "another kind", text: "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n" },
    { what: "an unknown field", text: `${head}leaderName: x\nresourceLock: leases\nfoo: bar\n` },
    { what: "a field twice", text: `${head}leaderName: x\nresourceLock: leases\nresourceLock: endpoints\n` },
  ])("machinery/8.r3, machinery/3.3.3 refuses $what", async ({ text }) => {
    await expect(migration(text)).rejects.toThrow();
  });
});
