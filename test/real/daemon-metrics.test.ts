// The metrics of the daemon compared with the Go program's, and the formats in which they are served.

import { expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { runningMarker } from "#manager/controller-context.ts";
import { goDaemon, ourDaemon, sharedControllers } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { describedIn, seriesOf } from "./metric-page.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;

describeReal("the daemon's metrics", () => {
  const plane = useControlPlane();

  it(
    "machinery/6.r8, machinery/6.r12, machinery/6.r24, machinery/6.r27, machinery/6.r28, machinery/6.r29, machinery/6.r33..r42, machinery/6.n2 describes every metric as the Go program does in the same run",
    async () => {
      const pageOf = async (command: Command): Promise<string> => {
        const program = await plane().startManager(command, {
          controllers: sharedControllers,
          flags: [
            "--leader-elect=true",
            "--leader-elect-lease-duration=3s",
            "--leader-elect-renew-deadline=2s",
            "--leader-elect-retry-period=500ms",
          ],
        });
        await eventually(async () =>
          (await program.page("/healthz?verbose")).includes("replicaset-controller") ? true : undefined,
        );
        const token = await plane().tokenFor("default", "metrics");
        await callHttps({
          url: `${program.url}/metrics`,
          caPem: plane().pki.ca.certificatePem,
          headers: { authorization: `Bearer ${token}` },
        });
        const namespace = `metrics-${Math.random().toString(36).slice(2, 8)}`;
        await plane().request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
        await eventually(async () =>
          (await plane().request("GET", `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`)).status === 200
            ? true
            : undefined,
        );
        const text = await program.page("/metrics");
        await program.stop("SIGKILL");
        return text;
      };
      const pages = { ours: await pageOf(ourDaemon), go: await pageOf(goDaemon()) };
      const [ours, go] = [describedIn(pages.ours), describedIn(pages.go)];
      const own = [...ours.keys()].filter((name) => !name.startsWith("nodejs_"));
      expect(Object.fromEntries(own.map((name) => [name, ours.get(name)]))).toEqual(
        Object.fromEntries(own.map((name) => [name, go.get(name)])),
      );
      expect(own).toEqual(expect.arrayContaining(Object.values(rows).flat()));
      const missing = [...go.keys()].filter((name) => !ours.has(name) && !name.startsWith("go_"));
      expect(missing).toEqual([]);
      // Neither program has a value for this metric.
      expect(go.has("informer_store_resource_version")).toBe(false);
      for (const name of ["informer_queued_items", "informer_processing_latency_seconds_count"]) {
        expect(seriesOf(name, pages.ours)).toEqual(seriesOf(name, pages.go));
      }
      // Deviation: our program follows files and the cluster's configuration without queues.
      const queues = seriesOf("workqueue_depth", pages.go).filter((name) => !/"(Dynamic|RequestHeader)/.test(name));
      expect(queues.length).toBeGreaterThan(3);
      expect(seriesOf("workqueue_depth", pages.ours)).toEqual(queues);
    },
    LIMIT_MS,
  );

  it(
    "machinery/6.r9 counts renewals that had to read the lease first, as the Go program does",
    async () => {
      for (const [index, command] of [ourDaemon, goDaemon()].entries()) {
        const name = `slow-${index}`;
        const program = await plane().startManager(command, {
          controllers: sharedControllers,
          flags: ["--leader-elect=true", `--leader-elect-resource-name=${name}`, "--leader-elect-retry-period=500ms"],
        });
        const path = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`;
        await eventually(async () => ((await plane().request("GET", path)).status === 200 ? true : undefined));
        expect(await program.page("/metrics")).not.toContain("leader_election_slowpath_total");
        // A change of the lease by another client makes the next optimistic renewal fail.
        const touched = await plane().kubectl(["annotate", "lease", name, "--namespace=kube-system", "touched=yes"]);
        expect(touched.code).toBe(0);
        const shown = await eventually(async () => {
          const lines = (await program.page("/metrics")).split("\n");
          const found = lines.filter((line) => line.includes("leader_election_slowpath_total"));
          return found.length > 0 ? found : undefined;
        });
        expect(shown).toEqual([
          "# HELP leader_election_slowpath_total [ALPHA] Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. Please make sure to group by name.",
          "# TYPE leader_election_slowpath_total counter",
          `leader_election_slowpath_total{name="${name}"} 1`,
        ]);
        await program.stop("SIGKILL");
      }
    },
    LIMIT_MS,
  );

  it(
    "machinery/6.r26 has the gauge of controllers that other managers may run, in the words of the Go program",
    async () => {
      const go = await plane().startManager(goDaemon(), {
        controllers: ["node-ipam-controller"],
        flags: ["--allocate-node-cidrs=true"],
      });
      const shown = await eventually(async () => {
        const lines = (await go.page("/metrics")).split("\n");
        return lines.some((line) => line.startsWith("running_managed_controllers{")) ? lines : undefined;
      });
      await go.stop("SIGKILL");
      const registry = new MetricRegistry({ version: "1.36.4" });
      const running = runningMarker(registry)("nodeipam");
      const lines = (): string[] => registry.render().split("\n").filter(isAbout);
      const isAbout = (line: string): boolean => line.includes("running_managed_controllers");
      expect(lines()).toEqual(shown.filter(isAbout));
      running[Symbol.dispose]();
      expect(lines().at(-1)).toBe('running_managed_controllers{manager="kube-controller-manager",name="nodeipam"} 0');
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.2 gives metrics as text, compressed and as protobuf",
    async () => {
      const program = await plane().startManager(ourDaemon, { controllers: ["-job-controller"] });
      const call = (headers: Record<string, string>) => program.ask("/metrics", { headers });
      expect((await call({})).headers["content-type"]).toBe(
        "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
      );
      expect((await call({ "accept-encoding": "gzip" })).headers["content-encoding"]).toBe("gzip");
      const protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";
      const { headers, text } = await call({ accept: `${protobuf};q=0.7,text/plain;version=0.0.4;q=0.3` });
      expect(headers["content-type"]).toContain("application/vnd.google.protobuf");
      expect(text).toContain("authentication_attempts");
      expect((await call({ accept: "application/openmetrics-text;version=1.0.0" })).headers["content-type"]).toContain(
        "text/plain",
      );
      await program.stop();
    },
    LIMIT_MS,
  );
});

/** The metrics that must exist after a certificate and a token have been used, by row of the ledger. */
const rows: Readonly<Record<string, readonly string[]>> = {
  r8: ["leader_election_master_status"],
  r24: ["rest_client_transport_cert_rotation_gc_calls_total"],
  r27: ["kubernetes_build_info"],
  r28: ["kubernetes_feature_enabled"],
  r29: ["version_info"],
  r33: ["authenticated_user_requests"],
  r34: ["authentication_attempts", "authorization_attempts_total"],
  r35: ["authentication_duration_seconds", "authorization_duration_seconds"],
  r36: ["request_duration_seconds", "request_total", "fetch_total", "active_fetch_count"].map(
    (name) => `authentication_token_cache_${name}`,
  ),
  r37: ["apiserver_delegated_authn_request_total", "apiserver_delegated_authn_request_duration_seconds"],
  r38: ["apiserver_delegated_authz_request_total", "apiserver_delegated_authz_request_duration_seconds"],
  r39: ["apiserver_client_certificate_expiration_seconds"],
  r40: ["apiserver_audit_event_total", "apiserver_audit_requests_rejected_total"],
  r41: ["apiserver_webhooks_x509_missing_san_total", "apiserver_kube_aggregator_x509_insecure_sha1_total"],
  r42: [
    "cpu_seconds_total",
    "open_fds",
    "max_fds",
    "resident_memory_bytes",
    "virtual_memory_bytes",
    "start_time_seconds",
    "network_receive_bytes_total",
  ].map((name) => `process_${name}`),
};
