// k8s.io/sample-apiserver as an aggregated API server behind the embedded one. kubectl creates, lists, watches and
// deletes its kinds through the embedded server; the sample server delegates authentication and authorization to the
// embedded one.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueCertificate } from "#platform/certificates/x509.ts";
import { type CommandOutcome, type ControlPlane, startControlPlane } from "#test/real/control-plane.ts";
import { type EmbeddedServer, startEmbeddedServer } from "#test/real/embedded-server.ts";
import { freePorts, openProcessScope, type ProcessScope, type Program } from "#test/real/processes.ts";
import { eventually } from "#test/real/suite.ts";
import { missingPrograms } from "#tools/control-plane-binaries.ts";
import { sampleApiServerPath } from "#tools/sample-apiserver.ts";
import { manifests } from "./manifests.ts";

const SETUP_MS = 180_000;
const STATUS = ".items[*].status.conditions[0].status";
const isReady = existsSync(sampleApiServerPath()) && missingPrograms().length === 0;

describe.skipIf(!isReady)("k8s.io/sample-apiserver behind the embedded API server", () => {
  let plane: ControlPlane;
  let embedded: EmbeddedServer;
  let scope: ProcessScope;
  let sample: Program;
  let kubeconfig: string;
  let port = 0;

  const kubectl = (...args: string[]): Promise<CommandOutcome> => plane.kubectl(["--kubeconfig", kubeconfig, ...args]);
  const apply = (manifest: object): Promise<CommandOutcome> =>
    plane.kubectl(["--kubeconfig", kubeconfig, "apply", "-f", "-"], JSON.stringify(manifest));
  async function output(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await kubectl(...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** The serving certificate names the Service, and the cluster's CA signs it. */
  function servingFiles(): string[] {
    const hour = 3_600_000;
    const validity = { notBefore: Date.now() - hour, notAfter: Date.now() + 24 * hour };
    const dnsNames = ["api.wardle.svc"];
    const options = { commonName: "api.wardle.svc", dnsNames, usages: ["server"] as const, issuer: plane.pki.ca };
    const { certificatePem, keyPem } = issueCertificate({ ...options, ...validity });
    const [cert, key] = [join(plane.directory, "sample.crt"), join(plane.directory, "sample.key")];
    writeFileSync(cert, certificatePem);
    writeFileSync(key, keyPem, { mode: 0o600 });
    return [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`];
  }

  async function startSample(): Promise<Program> {
    const token = (await output("create", "token", "apiserver", "--namespace=wardle")).trim();
    const own = plane.kubeconfigFor({ token }, embedded.url);
    return scope.start({
      name: "sample-apiserver",
      command: [
        sampleApiServerPath(),
        "--bind-address=127.0.0.1",
        `--secure-port=${port}`,
        `--etcd-servers=${plane.etcdUrl}`,
        ...["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map((flag) => `--${flag}=${own}`),
        ...servingFiles(),
      ],
    });
  }

  /** The condition of both APIServices, once it is the same. */
  const availability = async (): Promise<string> => {
    const services = ["v1alpha1", "v1beta1"].map((version) => `${version}.wardle.example.com`);
    const statuses = await output("get", "apiservices", ...services, "-o", `jsonpath={${STATUS}}`);
    const [first = "", second] = statuses.split(" ");
    return first === second ? first : "";
  };
  const untilAvailable = (status: string): Promise<true> =>
    eventually(async () => ((await availability()) === status ? true : undefined), SETUP_MS);

  beforeAll(async () => {
    plane = await startControlPlane({});
    const { pki } = plane;
    embedded = await startEmbeddedServer(pki);
    kubeconfig = plane.kubeconfigFor({ user: "test-admin", groups: ["system:masters"] }, embedded.url);
    [port = 0] = await freePorts(1);
    const ca = Buffer.from(pki.ca.certificatePem).toString("base64");
    const applied = await apply(manifests({ port, caBundle: ca }));
    expect(applied.stderr).toBe("");
    scope = openProcessScope("sample-apiserver");
    sample = await startSample();
    await untilAvailable("True").catch((error: unknown) => {
      throw new Error(`not available:\n${sample.log().slice(-3000)}`, { cause: error });
    });
  }, SETUP_MS);

  afterAll(async () => {
    await scope?.close();
    await embedded?.close();
    await plane?.stop();
  }, SETUP_MS);

  it("machinery/7.2.r9 is discovered and explained", async () => {
    const names = await output("api-resources", "--api-group=wardle.example.com", "-o", "name");
    expect(names.split("\n")).toEqual(["fischers.wardle.example.com", "flunders.wardle.example.com", ""]);
    expect(await output("explain", "flunders.spec")).toContain("flunderReference");
  }, 60_000);

  it("machinery/7.2.r9 stores, lists, watches and deletes a Flunder and a Fischer", async () => {
    const flunder = {
      apiVersion: "wardle.example.com/v1alpha1",
      kind: "Flunder",
      metadata: { name: "first", namespace: "default" },
    };
    const fischer = {
      apiVersion: "wardle.example.com/v1alpha1",
      kind: "Fischer",
      metadata: { name: "one" },
      disallowedFlunders: ["banned"],
    };
    const watching = kubectl("get", "flunders", "--watch-only", "--request-timeout=8s", "-o", "name");
    // The watch must be open before the next step.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await apply(flunder)).toMatchObject({ code: 0, stdout: "flunder.wardle.example.com/first created\n" });
    expect(await apply(fischer)).toMatchObject({ code: 0 });
    expect(await output("get", "flunders")).toMatch(/^NAME +CREATED AT\nfirst /);
    expect(await output("get", "fischers", "-o", "jsonpath={.items[*].disallowedFlunders}")).toBe('["banned"]');
    expect(await output("label", "flunder", "first", "a=b")).toContain("labeled");
    expect(await output("delete", "flunder", "first")).toContain("deleted");
    expect(await output("delete", "fischer", "one")).toContain("deleted");
    const { stdout } = await watching;
    // Added, labeled and deleted.
    expect(stdout).toBe("flunder.wardle.example.com/first\n".repeat(3));
  }, 120_000);

  it("machinery/7.2.r9 authenticates the user of a request and delegates authorization", async () => {
    const refused = await kubectl("get", "flunders", "--as=jane");
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('User "jane" cannot list resource "flunders" in API group "wardle.example.com"');
    await output(
      "create",
      "clusterrole",
      "flunder-reader",
      "--verb=get,list",
      "--resource=flunders.wardle.example.com",
    );
    await output("create", "clusterrolebinding", "jane", "--clusterrole=flunder-reader", "--user=jane");
    await eventually(
      async () => ((await kubectl("get", "flunders", "--as=jane")).code === 0 ? true : undefined),
      30_000,
    );
  }, 60_000);

  it(
    "machinery/7.2.r9 breaks discovery of its own group alone when it is away, and comes back",
    async () => {
      await sample.stop();
      await untilAvailable("False");
      // kubectl leaves out stale groups.
      const names = await output("api-resources", "-o", "name");
      expect(names).toContain("deployments.apps");
      expect(names).not.toContain("flunders");
      expect((await kubectl("get", "--raw", "/apis/wardle.example.com/v1beta1")).stderr).toContain(
        "ServiceUnavailable",
      );
      expect((await kubectl("get", "flunders")).code).toBe(1);
      expect(await output("get", "namespaces", "-o", "name")).toContain("namespace/wardle");
      sample = await startSample();
      await untilAvailable("True");
      expect((await kubectl("get", "flunders")).code).toBe(0);
    },
    SETUP_MS,
  );
});
