// The effects of flags that concern the API server, in both programs: clients, election, controllers and their files.

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import type { ControlPlane, RunningManager } from "./control-plane.ts";
import { daemonOf, sharedControllers, sides } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const quickElection = [
  "--leader-elect=true",
  "--leader-elect-lease-duration=4s",
  "--leader-elect-renew-deadline=3s",
  "--leader-elect-retry-period=100ms",
];

describeReal("flags about the API server", () => {
  const plane = useControlPlane();
  beforeAll(async () => {
    await plane().request("POST", "/api/v1/namespaces", { metadata: { name: "locks" } });
  }, LIMIT_MS);

  let made = 0;
  let seenGates: readonly string[] | undefined;
  /** Creates a namespace, which gives every controller work. */
  const makeNamespace = async (): Promise<string> => {
    const name = `flags-${++made}`;
    await plane().request("POST", "/api/v1/namespaces", { metadata: { name } });
    return name;
  };
  const rootCaIn = (namespace: string): Promise<string> =>
    eventually(async () => {
      const path = `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`;
      const { status, text } = await plane().request("GET", path);
      return status === 200 ? (JSON.parse(text) as { data: Record<string, string> }).data["ca.crt"] : undefined;
    });
  const leaseStatus = async (namespace: string, name: string): Promise<number> =>
    (await plane().request("GET", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`)).status;

  describe.each(sides)("%s", (side) => {
    const start = (flags: readonly string[], controllers = sharedControllers): Promise<RunningManager> =>
      plane().startManager(daemonOf(side), { controllers, flags });

    it(
      "machinery/1.7.r7, machinery/1.7.r8 sends a burst, and then no more than --kube-api-qps allow",
      async () => {
        const [limited, free] = [await startRefuser(plane()), await startRefuser(plane())];
        const flagsFor = (url: string): readonly string[] => [
          `--kubeconfig=${plane().kubeconfigFor({ token: "t" }, url)}`,
          ...quickElection,
        ];
        const slow = await start([...flagsFor(limited.url), "--kube-api-qps=0.001", "--kube-api-burst=3"]);
        const fast = await start([...flagsFor(free.url), "--kube-api-qps=1000", "--kube-api-burst=1000"]);
        await eventually(() => (free.leaseRequests() >= 12 && limited.leaseRequests() >= 3 ? true : undefined));
        expect(limited.leaseRequests()).toBe(3);
        await Promise.all([slow, fast].map((program) => program.stop("SIGKILL")));
        limited.close();
        free.close();
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r11, machinery/1.7.r16, machinery/1.7.r17 leads by the lease it is told, or without one",
      async () => {
        const alone = await start(["--leader-elect=false", `--leader-elect-resource-name=${side}-alone`]);
        await rootCaIn(await makeNamespace());
        expect(await leaseStatus("kube-system", `${side}-alone`)).toBe(404);
        await alone.stop("SIGKILL");
        const leader = await start([
          `--kubeconfig=${plane().adminKubeconfig}`,
          ...quickElection,
          `--leader-elect-resource-name=${side}`,
          "--leader-elect-resource-namespace=locks",
        ]);
        await rootCaIn(await makeNamespace());
        expect(await leaseStatus("locks", side)).toBe(200);
        expect(await leaseStatus("kube-system", side)).toBe(404);
        await leader.stop("SIGKILL");
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r10 runs the controllers it is told to, by name or alias",
      async () => {
        const controllers = ["replicaset", "-serviceaccount-controller", "root-ca-certificate-publisher-controller"];
        const program = await start([], controllers);
        await rootCaIn(await makeNamespace());
        const checks = (await program.page("/healthz?verbose")).match(/(?<=\[\+\])\S+/g) ?? [];
        expect(checks.filter((check) => check.endsWith("-controller")).sort()).toEqual([
          "replicaset-controller",
          "root-ca-certificate-publisher-controller",
          "serviceaccount-token-controller",
        ]);
        await program.stop("SIGKILL");
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r21 gives each controller its own account with --use-service-account-credentials",
      async () => {
        for (const [isSplit, wanted] of [
          [true, "system:serviceaccount:kube-system:root-ca-cert-publisher"],
          [false, "system:kube-controller-manager"],
        ] as const) {
          const kubeconfig = plane().kubeconfigFor({
            user: "system:kube-controller-manager",
            groups: ["system:masters"],
          });
          const program = await start([`--kubeconfig=${kubeconfig}`, `--use-service-account-credentials=${isSplit}`]);
          const namespace = await makeNamespace();
          await rootCaIn(namespace);
          const users = await eventually(() => {
            const created = plane()
              .audit.since()
              .filter(({ verb, objectRef }) => verb === "create" && objectRef?.resource === "configmaps")
              .filter(({ objectRef }) => objectRef?.namespace === namespace)
              .map(({ user }) => user.username);
            return created.length > 0 ? created : undefined;
          });
          expect(users).toEqual([wanted]);
          await program.stop("SIGKILL");
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r126 publishes --root-ca-file, or the CA of the kubeconfig without it",
      async () => {
        for (const [flag, file] of [
          [plane().pki.file("front-proxy-ca.crt"), "front-proxy-ca.crt"],
          ["", "ca.crt"],
        ] as const) {
          const program = await start([`--root-ca-file=${flag}`]);
          const wanted = readFileSync(plane().pki.file(file), "utf8");
          expect(await rootCaIn(await makeNamespace())).toBe(wanted);
          await program.stop("SIGKILL");
        }
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r124 signs tokens with --service-account-private-key-file, and makes none without it",
      async () => {
        const secretIn = async (namespace: string): Promise<string | undefined> => {
          const { text } = await plane().request("GET", `/api/v1/namespaces/${namespace}/secrets/made`);
          return (JSON.parse(text) as { data?: Record<string, string> }).data?.token;
        };
        const makeSecret = async (namespace: string): Promise<void> => {
          const path = `/api/v1/namespaces/${namespace}`;
          await eventually(async () =>
            (await plane().request("GET", `${path}/serviceaccounts/default`)).status === 200 ? true : undefined,
          );
          await plane().request("POST", `${path}/secrets`, {
            type: "kubernetes.io/service-account-token",
            metadata: { name: "made", annotations: { "kubernetes.io/service-account.name": "default" } },
          });
        };
        const without = await start(["--service-account-private-key-file="]);
        const namespace = await makeNamespace();
        await makeSecret(namespace);
        await rootCaIn(await makeNamespace());
        expect(await without.page("/healthz?verbose")).not.toContain("serviceaccount-token-controller");
        expect(await secretIn(namespace)).toBeUndefined();
        await without.stop("SIGKILL");
        const program = await start([]);
        const token = Buffer.from(await eventually(() => secretIn(namespace)), "base64").toString();
        const { status } = await callHttps({
          url: `${plane().server}/api`,
          caPem: plane().pki.ca.certificatePem,
          headers: { authorization: `Bearer ${token}` },
        });
        expect(status).toBe(200);
        await program.stop("SIGKILL");
      },
      LIMIT_MS,
    );

    it(
      "machinery/1.7.r32, machinery/1.7.r33, machinery/1.7.r34 behaves as the version and the gates it is told",
      async () => {
        const program = await start([
          "--emulated-version=1.35",
          "--min-compatibility-version=1.34",
          "--feature-gates=AllBeta=false,WatchListClient=true",
        ]);
        const text = await program.page("/metrics");
        expect(text.match(/^version_info\{.*$/gm)).toEqual([
          'version_info{binary="1.36.4",component="kube",emulation="1.35",min_compat="1.34"} 1',
        ]);
        // The gate of the flag page is off because of AllBeta.
        expect(await program.page("/flagz")).toBe("404 page not found\n");
        const gates = text.match(/^kubernetes_feature_enabled\{.*$/gm) ?? [];
        expect(gates.length).toBeGreaterThan(100);
        seenGates ??= gates;
        expect(gates).toEqual(seenGates);
        await program.stop("SIGKILL");
      },
      LIMIT_MS,
    );
  });
});

/** An API server that refuses everything and counts the requests for the lease. */
async function startRefuser(plane: ControlPlane): Promise<{ url: string; leaseRequests(): number; close(): void }> {
  const { certificatePem: cert, keyPem: key } = plane.pki.serving;
  let count = 0;
  const server = createServer({ cert, key }, (request, response) => {
    if (request.url?.includes("/leases/")) count++;
    response.writeHead(403, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, leaseRequests: () => count, close: () => void server.close() };
}
