// Wrong command lines, configurations and kubeconfigs: the same exit code as the Go program, and the same message if it
// is Kubernetes' own. If one of Go's libraries (yaml, x509, net) produces a part, the same class of error about the
// same file or field.

import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Ending, finalError, goDaemon, ourDaemon, runToEnd, sharedControllers } from "./daemon.ts";
import { directory, failed, good, missing, positional, refused } from "./daemon-errors-table.ts";
import { describeReal } from "./suite.ts";

const LIMIT_MS = 180_000;

/** Names the controllers for both programs. */
function withControllers(args: readonly string[]): readonly string[] {
  const own = ["--secure-port=0", `--controllers=${sharedControllers.join(",")}`];
  const has = (flag: string): boolean => args.some((arg) => arg.startsWith(flag));
  const serves = ["--tls", "--cert-dir", "--client-ca", "--requestheader-client-ca", "--auth", "--bind-address"].some(
    has,
  );
  return [
    ...own.filter((flag) => {
      if (flag.startsWith("--controllers")) return !has("--controllers");
      return !has("--secure-port") && !serves;
    }),
    ...(serves && !has("--secure-port") ? [`--secure-port=${port}`] : []),
    ...args,
  ];
}

/** Upstream lists unmet dependencies of gates in the order of a map. */
function sortedAggregate(text: string): string {
  if (!text.includes("depends on features")) return text;
  return text.slice(1, -1).split(", ").sort().join(", ");
}

let port = 0;

describeReal("wrong command lines end as in the Go program", () => {
  beforeAll(async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as { port: number }).port;
    await new Promise((resolve) => server.close(resolve));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(positional.map((args) => [args.join(" "), args] as const))(
    "machinery/1.1.2 takes no arguments: %s",
    async (_, args) => {
      const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
      expect([ours.code, ours.stdout, ours.stderr]).toEqual([go.code, go.stdout, go.stderr]);
      expect(ours.stderr).toContain("does not take any arguments");
    },
    LIMIT_MS,
  );

  it.each([
    { args: ["--config=file"], error: "unknown flag: --config" },
    { args: ["version"], error: '"kube-controller-manager" does not take any arguments, got ["version"]' },
    { args: ["help"], error: '"kube-controller-manager" does not take any arguments, got ["help"]' },
  ])("machinery/1.1.1 has neither sub-commands nor a configuration file: $args", async ({ args, error }) => {
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
    expect([ours.code, finalError(ours)]).toEqual([go.code, finalError(go)]);
    expect(finalError(ours)).toContain(error);
  });

  it("machinery/1.1.2 tolerates empty arguments", async () => {
    const args = ["", "--controllers=nonsense", ""];
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
    expect(finalError(ours)).toBe(finalError(go));
  });

  it(
    "machinery/1.1.8 finds a taken port after the kubeconfig is read, and says so as the Go program does",
    async () => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
      const { port: number } = taken.address() as { port: number };
      const own = [
        `--secure-port=${number}`,
        "--bind-address=127.0.0.1",
        `--controllers=${sharedControllers.join(",")}`,
      ];
      for (const args of [
        [...own, "--kubeconfig", good],
        [...own, "--kubeconfig", missing],
        [...own, "--kubeconfig", good, "--tls-cert-file", missing, "--tls-private-key-file", missing],
      ]) {
        const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
        expect([ours.code, finalError(ours)]).toEqual([go.code, finalError(go)]);
        expect(finalError(ours)).toMatch(/^(failed to create listener|stat )/);
      }
      taken.close();
    },
    LIMIT_MS,
  );

  it.each(refused.map((args) => [args.join(" "), args] as const))(
    "machinery/1.1.5 refuses %s",
    async (_, args) => {
      const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
      expect(ours.code).toBe(go.code);
      expect(finalError(ours)).toBe(finalError(go));
      expect(finalError(ours)).not.toBe("");
      expect(ours.stderr.startsWith("Usage:")).toBe(go.stderr.startsWith("Usage:"));
      expect(ours.stdout).toBe(go.stdout);
    },
    LIMIT_MS,
  );

  it.each(
    failed.map((test) => [test.id ?? "machinery/1.6", test.args.join(" ").replaceAll(directory, ""), test] as const),
  )(
    "%s fails with %s",
    async (_id, _args, { args, like }) => {
      const all = withControllers(args);
      const go = await runToEnd(goDaemon(), all);
      const ours = await runToEnd(ourDaemon, all);
      const [ourError, goError] = [sortedAggregate(finalError(ours)), sortedAggregate(finalError(go))];
      expect(goError, go.stderr.slice(-2000)).not.toBe("");
      if (like === undefined) expect(ourError, ours.stderr.slice(-2000)).toBe(goError);
      else {
        expect(goError).toMatch(like);
        expect(ourError, ours.stderr.slice(-2000)).toMatch(like);
      }
      expect(ours.code).toBe(go.code);
      expect(saidBefore(ours)).toEqual(saidBefore(go));
    },
    LIMIT_MS,
  );

  it.each(["", "external", "aws", "gce", "azure", "openstack", "vsphere", "garbage", 'a "b"'])(
    "machinery/1.6.r6 says what the Go program says about the cloud provider %p",
    async (provider) => {
      const args = withControllers([`--cloud-provider=${provider}`, "--kubeconfig", missing]);
      const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
      expect(saidBefore(go)).toHaveLength(provider === "" || provider === "external" ? 0 : 2);
      expect([ours.code, ...saidBefore(ours), finalError(ours)]).toEqual([go.code, ...saidBefore(go), finalError(go)]);
    },
    LIMIT_MS,
  );
});

/** Messages that only one of the programs prints (docs/deviations.md). */
const ownWords =
  /The manifest file is empty, ignoring|"(?:Golang|Runtime) settings"|"Starting DynamicServingCertificateController"|will change already queried feature/;

/** The log lines before the final error, without time, process and place. */
function saidBefore({ stderr }: Ending): readonly string[] {
  const [before = ""] = stderr.split(/^(?:.*"command failed" err=|panic: )/m);
  return before
    .split("\n")
    .map((line) => line.replace(/^([IWEF])\d{4} [\d:.]+ +\d+ [^\]]+\] /, "$1 "))
    .filter((line) => line !== "" && !ownWords.test(line));
}
