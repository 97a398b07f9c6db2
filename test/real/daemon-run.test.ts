// The life of the daemon on a real API server: serve, lead, run, stop; with leader migration; and its log lines.

import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ControlPlane, RunningManager } from "./control-plane.ts";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const fast = [
  "--leader-elect-lease-duration=4s",
  "--leader-elect-renew-deadline=3s",
  "--leader-elect-retry-period=500ms",
];
const RELEASE = "--feature-gates=ControllerManagerReleaseLeaderElectionLockOnExit=true";

interface Lease {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly holderIdentity: string;
    readonly leaseTransitions: number;
    readonly leaseDurationSeconds: number;
  };
}

describeReal("the daemon on a real API server", () => {
  const plane = useControlPlane();

  let leases = 0;
  /** Each test has a separate lock. */
  const leading = (): { readonly name: string; readonly flags: readonly string[] } => {
    const name = `lock-${++leases}`;
    return { name, flags: ["--leader-elect=true", `--leader-elect-resource-name=${name}`, ...fast] };
  };
  const start = (flags: readonly string[], controllers = sharedControllers): Promise<RunningManager> =>
    plane().startManager(ourDaemon, { controllers, flags: ["-v=2", ...flags] });
  const leasePath = (name: string): string => `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`;
  const leaseOf = async (name: string): Promise<Lease | undefined> => {
    const { status, text } = await plane().request("GET", leasePath(name));
    return status === 200 ? (JSON.parse(text) as Lease) : undefined;
  };

  it.each(["SIGTERM", "SIGINT"] as const)(
    "machinery/1.2.6, machinery/1.3.1, machinery/1.3.2 dies of %s by default and keeps its lease",
    async (signal) => {
      const { name, flags } = leading();
      const program = await start(flags);
      await logged(program, "Successfully acquired lease");
      // Signals that Go programs ignore; the last page proves that they have been delivered.
      for (const other of ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGIO", "SIGXCPU", "SIGXFSZ"] as const) {
        process.kill(program.pid, other);
        expect(await program.page("/healthz")).toBe("ok");
      }
      expect(await program.stop(signal)).toBe(`signal ${signal}`);
      expect((await leaseOf(name))?.spec.holderIdentity).toMatch(/^[^_]+_[0-9a-f-]{36}$/);
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.3.4, machinery/1.3.6, machinery/8.r11 stops in order and gives its lease back, behind its gate",
    async () => {
      const { name, flags } = leading();
      const program = await start([...flags, RELEASE]);
      await logged(program, "Controller starting...");
      expect(await program.stop("SIGTERM")).toBe("exit code 0");
      const lease = await leaseOf(name);
      expect(lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 });
      const successor = await start([...flags, RELEASE]);
      await logged(successor, "Successfully acquired lease");
      expect((await leaseOf(name))?.spec.leaseTransitions).toBe(1);
      await successor.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.3.4 exits 1 at once when it is told a second time",
    async () => {
      const proxy = await plane().startFaultProxy();
      const { name, flags } = leading();
      const kubeconfig = plane().kubeconfigFor({ user: "system:kube-controller-manager" }, proxy.server);
      const program = await start([...flags, RELEASE, `--kubeconfig=${kubeconfig}`]);
      await logged(program, "Controller starting...");
      // Requests for the lease are no longer answered, so releasing it takes as long as the renew deadline.
      proxy.inject({ path: leasePath(name) }, { kind: "stall" });
      process.kill(program.pid, "SIGTERM");
      await logged(program, "Shutting down controller");
      process.kill(program.pid, "SIGTERM");
      expect(await program.ended).toBe("exit code 1");
      expect((await leaseOf(name))?.spec.holderIdentity).not.toBe("");
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.3.7 ends with the error of a controller that cannot be built",
    async () => {
      const { flags } = leading();
      const broken = join(plane().directory, "no.key");
      writeFileSync(broken, "no key");
      const program = await start([...flags, RELEASE, `--service-account-private-key-file=${broken}`]);
      expect(await program.ended).toBe("exit code 1");
      const problem =
        "error reading key for service account token controller: data does not contain a valid RSA or ECDSA private key";
      expect(program.log()).toContain(`"command failed" err="${problem}"`);
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.3.5 stops in order without an election too",
    async () => {
      const program = await start([RELEASE]);
      await logged(program, "Controller starting...");
      expect(await program.stop("SIGINT")).toBe("exit code 0");
      expect(program.log()).toContain("All controllers terminated");
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.3.3 exits 1 when its lease is lost",
    async () => {
      const { name, flags } = leading();
      const program = await start(flags);
      await logged(program, "Successfully acquired lease");
      const lease = await eventually(() => leaseOf(name));
      await plane().request("DELETE", leasePath(name));
      const stolen = {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: lease.metadata.name },
        spec: { ...lease.spec, holderIdentity: "thief", leaseDurationSeconds: 3600 },
      };
      // The daemon may have written its own value again between the two requests.
      await eventually(async () => {
        const created = await plane().request("POST", leasePath("").slice(0, -1), stolen);
        if (created.status === 201) return true;
        await plane().request("DELETE", leasePath(name));
        return undefined;
      });
      expect(await program.ended).toBe("exit code 1");
      expect(program.log()).toContain("Failed to renew lease");
      expect(program.log()).toContain("leaderelection lost/stopped");
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.2.1, machinery/1.2.4, machinery/1.2.11, machinery/8.n1 serves while it stands by, and takes over when the leader is killed",
    async () => {
      const { name, flags } = leading();
      const leader = await plane().startManager(goDaemon(), { controllers: sharedControllers, flags });
      await eventually(async () => ((await leaseOf(name))?.spec.holderIdentity ? true : undefined));
      const standby = await start(flags);
      expect(await standby.page("/healthz?verbose")).toBe("[+]leaderElection ok\nhealthz check passed\n");
      expect(await standby.page("/metrics")).toContain(`leader_election_master_status{name="${name}"} 0`);
      await leader.stop("SIGKILL");
      await logged(standby, "Successfully acquired lease");
      await eventually(async () =>
        (await standby.page("/healthz?verbose")).includes("[+]replicaset-controller ok") ? true : undefined,
      );
      expect(await standby.page("/metrics")).toContain(`leader_election_master_status{name="${name}"} 1`);
      const events = await plane().request(
        "GET",
        `/api/v1/namespaces/kube-system/events?fieldSelector=involvedObject.name=${name}`,
      );
      const told = (
        JSON.parse(events.text) as { items: { reason: string; message: string; source: { component: string } }[] }
      ).items;
      expect(told).toHaveLength(2);
      for (const event of told) {
        expect(event).toMatchObject({ reason: "LeaderElection", source: { component: "kube-controller-manager" } });
        expect(event.message).toMatch(/^[^_]+_[0-9a-f-]{36} became leader$/);
      }
      expect(standby.log()).toMatch(/"Event occurred" object="kube-system\/lock-\d+" .*reason="LeaderElection"/);
      await standby.stop();
    },
    LIMIT_MS,
  );

  it.each([true, false])(
    "machinery/1.7.r3, machinery/1.7.r4 runs migrated controllers under a second lock, with a token key: %s",
    async (hasKey) => {
      const { name, flags } = leading();
      const migration = join(plane().directory, `migration-${hasKey}`);
      const leaderName = `${name}-migration`;
      writeFileSync(
        migration,
        JSON.stringify({
          apiVersion: "controllermanager.config.k8s.io/v1",
          kind: "LeaderMigrationConfiguration",
          leaderName,
          controllerLeaders: [
            { name: "replicaset-controller", component: "kube-controller-manager" },
            { name: "root-ca-certificate-publisher-controller", component: "somebody-else" },
          ],
        }),
      );
      const program = await start([
        ...flags,
        "--enable-leader-migration",
        `--leader-migration-config=${migration}`,
        ...(hasKey ? [] : ["--service-account-private-key-file="]),
      ]);
      await logged(program, "leader migration: starting migrated controllers.");
      const checks = await eventually(async () => {
        const text = await program.page("/healthz?verbose");
        return text.includes("[+]replicaset-controller ok") ? text : undefined;
      });
      expect(checks).toContain("[+]serviceaccount-controller ok");
      expect(checks).not.toContain("root-ca-certificate-publisher-controller");
      const log = program.log();
      expect(log.indexOf("leader migration: starting main controllers.")).toBeLessThan(
        log.indexOf(`lock="kube-system/${leaderName}"`),
      );
      const holders = await Promise.all([leaseOf(name), leaseOf(leaderName)]);
      expect(holders[0]?.spec.holderIdentity).toBe(holders[1]?.spec.holderIdentity);
      await program.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/4.1.6 names itself to the API server as the Go program does",
    async () => {
      const agents = async (command: Command): Promise<string[]> => {
        const { name, flags } = leading();
        const mark = plane().audit.mark();
        const program = await plane().startManager(command, { controllers: sharedControllers, flags });
        await eventually(async () =>
          (await program.page("/healthz?verbose")).includes("replicaset-controller") ? true : undefined,
        );
        await plane().request("POST", "/api/v1/namespaces", { metadata: { name: `agents-${name}` } });
        await eventually(async () =>
          (await plane().request("GET", `/api/v1/namespaces/agents-${name}/configmaps/kube-root-ca.crt`)).status === 200
            ? true
            : undefined,
        );
        await program.stop("SIGKILL");
        const seen = plane()
          .audit.since(mark)
          .filter((entry) => entry.userAgent?.startsWith("kube-controller-manager/"))
          .map(
            (entry) =>
              `${entry.user.username}: ${(entry.userAgent ?? "").replace(/kubernetes\/[^/]*/, "kubernetes/COMMIT").replace(/\/v[0-9.]+ /, "/VERSION ")}`,
          );
        return [...new Set(seen)].sort();
      };
      const go = await agents(goDaemon());
      const ours = await agents(ourDaemon);
      expect(ours).toEqual(go);
      expect(go.length).toBeGreaterThanOrEqual(5);
    },
    LIMIT_MS,
  );

  it.each([
    { flags: [], sent: "application/json" },
    { flags: ["--kube-api-content-type=application/json"], sent: "application/json" },
    {
      flags: ["--kube-api-content-type=application/vnd.kubernetes.protobuf"],
      sent: "application/vnd.kubernetes.protobuf",
    },
  ])(
    "machinery/4.1.7, machinery/1.7.r6 writes $sent with $flags",
    async ({ flags, sent }) => {
      const { url, written, close } = await startRecorder(plane());
      const kubeconfig = plane().kubeconfigFor({ token: "t" }, url);
      const program = await start([`--kubeconfig=${kubeconfig}`, ...leading().flags, ...flags]);
      await eventually(() => (written.length > 0 ? true : undefined));
      await program.stop("SIGKILL");
      expect(new Set(written)).toEqual(new Set([sent]));
      close();
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.2 changes the verbosity while it runs",
    async () => {
      const program = await start(["-v=0"]);
      const put = (body: string): Promise<{ status: number; text: string }> =>
        program.ask("/debug/flags/v", { method: "PUT", rawBody: body });
      await program.page("/healthz");
      expect(program.log()).not.toContain('"HTTP"');
      expect(await put("3")).toMatchObject({ status: 200, text: "successfully set klog.logging.verbosity to 3\n" });
      await program.page("/healthz");
      expect(program.log()).toContain('"HTTP" verb="GET" URI="/healthz"');
      expect((await put("x")).status).toBe(400);
      await program.stop();
    },
    LIMIT_MS,
  );
});

/** An empty API server that accepts nothing but records the writes. */
async function startRecorder(plane: ControlPlane): Promise<{ url: string; written: string[]; close(): void }> {
  const { certificatePem: cert, keyPem: key } = plane.pki.serving;
  const written: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    if (request.method !== "GET") written.push(String(request.headers["content-type"]));
    const code = request.method === "GET" ? 404 : 403;
    const reason = code === 404 ? "NotFound" : "Forbidden";
    response.writeHead(code, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, written, close: () => void server.close() };
}
