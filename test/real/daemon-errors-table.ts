// Wrong command lines, configurations and kubeconfigs, and the files that they name.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueCertificate, newPrivateKeyPem } from "#platform/certificates/x509.ts";

export const directory: string = mkdtempSync(join(tmpdir(), "daemon-errors-"));
const file = (name: string, content: string): string => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};
export const missing: string = join(directory, "missing");

const kubeconfig = (parts: { cluster?: object; user?: object; context?: string }): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: parts.cluster ?? { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: parts.user ?? { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": parts.context ?? "x",
  });

const now = Date.now();
const valid = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 };
const pair = issueCertificate({ commonName: "a", ...valid });
export const good: string = file("good.kubeconfig", kubeconfig({}));
const cert = file("a.crt", pair.certificatePem);
const key = file("a.key", pair.keyPem);
const otherKey = file("b.key", newPrivateKeyPem());
const empty = file("empty", "");
const words = file("words", "no certificate\n");
const halfDirectory = join(directory, "half");
mkdirSync(halfDirectory);
writeFileSync(join(halfDirectory, "kube-controller-manager.crt"), pair.certificatePem);
let migrations = 0;
const migration = (text: string): string => file(`migration-${++migrations}`, text);
const lm = "controllermanager.config.k8s.io";

export interface Case {
  /** The row of the ledger whose rule it breaks, if any. */
  readonly id?: string;
  readonly args: readonly string[];
  /** Both messages must match this instead of being equal, because a Go library produces the rest. */
  readonly like?: RegExp;
}

/** Refused while the flags are parsed: usage, then the error. */
export const refused: readonly (readonly string[])[] = [
  ["--config=x"], // machinery/1.1.1: there is no configuration file
  ["--bogus"],
  ["--bogus=1"],
  ["-x"],
  ["-vx"],
  ["---v"],
  ["--=1"],
  ["--v"],
  ["-v"],
  ["--v=abc"],
  ["--v=-1"],
  ["-v=99999999999"],
  ["--vmodule=x"],
  ["--vmodule=x=y"],
  ["--vmodule=a=1=2"],
  ["--leader-elect=maybe"],
  ["--profiling=2"],
  ["--secure-port=abc"],
  ["--secure-port=1.5"],
  ["--secure-port="],
  ["--secure-port=99999999999999999999"],
  ["--kube-api-qps=fast"],
  ["--kube-api-burst=2147483648"],
  ["--kube-api-burst=0x"],
  ["--node-eviction-rate=1e99"],
  ["--horizontal-pod-autoscaler-tolerance=x"],
  ["--leader-elect-lease-duration=15"],
  ["--leader-elect-lease-duration=abc"],
  ["--leader-elect-lease-duration=1y"],
  ["--leader-elect-lease-duration="],
  ["--leader-elect-lease-duration=99999999999h"],
  ["--bind-address=nowhere"],
  ["--bind-address=1.2.3"],
  ["--bind-address=01.2.3.4"],
  ["--tls-curve-preferences=x"],
  ["--tls-curve-preferences=99999999999"],
  ["--tls-sni-cert-key=a"],
  ["--tls-sni-cert-key=a,b:"],
  ["--tls-sni-cert-key=a,b,c"],
  ["--allow-metric-labels=x"],
  ['--controllers="a'],
  ['--controllers=a"b'],
  ["--log-text-info-buffer-size=lots"],
  ["--log-flush-frequency=soon"],
  ["--version=v1.35.0"],
  ["--version=vx"],
  ["--version=maybe"],
  ["--kubeconfig"],
  ["--concurrent-rc-syncs=many"],
  ["--concurrent_rc_syncs=many"],
];

/** Positional arguments: the error without the usage. */
export const positional: readonly (readonly string[])[] = [["x"], ["", "x"], ["--", "x", "y z"], ["-", "--v=1"]];

/** Refused after parsing. Command lines that pass their own check end at the missing kubeconfig. */
export const failed: readonly Case[] = [
  {
    // These are valid; only the kubeconfig is missing.
    args: ["deployment", "replicaset", "rc", "namespace", "resource-quota", "gc", "ttl-after-finished", "endpoint"].map(
      (name) => `--concurrent-${name}-syncs=0`,
    ),
  },
  { args: [] },
  ...["10.0.0.0/8,fd00::/64", "http://[::1", "http://x:y", "https://a/%zz", "a/b", "x:y", "%zz", "a b", "[::1"].map(
    (master) => ({ args: [`--master=${master}`] }),
  ),
  { args: ["--emulated-version=1.20"] },
  { args: ["--emulated-version=1.37"] },
  { args: ["--emulated-version=kube=1.36.1"] },
  { args: ["--emulated-version=1"] },
  { args: ["--emulated-version=x"] },
  { args: ["--emulated-version=foo=1.35"] },
  { args: ["--emulated-version=1.35,kube=1.34"] },
  { args: ["--min-compatibility-version=1.20"] },
  { args: ["--min-compatibility-version=1.37"] },
  { args: ["--emulated-version=1.34", "--min-compatibility-version=1.35"] },
  { id: "machinery/1.6.r16", args: ["--feature-gates=Nonsense=true"] },
  { args: ["--feature-gates=AllAlpha"] },
  { args: ["--feature-gates=AllAlpha=maybe"] },
  { args: ["--feature-gates=other:AllAlpha=true"] },
  { args: ["--feature-gates=kube:AllBeta=true", "--feature-gates=AllAlpha=false"] },
  { id: "machinery/1.6.r16", args: ["--feature-gates=DynamicResourceAllocation=false"] },
  { args: ["--feature-gates=InOrderInformers=false"] },
  { id: "machinery/1.6.r16", args: ["--feature-gates=AtomicFIFO=false"] },
  { args: ["--logging-format=xml"] },
  { args: ["--logging-format="], like: /format|Unsupported|configuration/ },
  { args: ["--logging-format=json", "--vmodule=a=1"] },
  { args: ["--log-flush-frequency=0"] },
  { args: ["--log-flush-frequency=-1s"] },
  { args: ["--log-text-split-stream"] },
  { args: ["--log-json-split-stream", "--log-json-info-buffer-size=1Ki"] },
  { args: ["--log-text-info-buffer-size=1Ki", "--logging-format=xml"] },
  { id: "machinery/1.5.3", args: ["--controllers=nonsense"] },
  { args: ["--controllers=-nonsense,*,other"] },
  { id: "machinery/1.5.3", args: ["--controllers=-*"] },
  { id: "machinery/1.5.3", args: ["--controllers=cloud-node"] },
  { id: "machinery/1.6.r1", args: ["--leader-elect-resource-lock=endpoints"] },
  { id: "machinery/1.6.r2", args: ["--secure-port=-1"] },
  { id: "machinery/1.6.r3", args: ["--secure-port=65536"] },
  {
    args: ["--requestheader-username-headers="],
    like: /^(empty value in "requestheader-username-headers"|invalid configuration.*)$/,
  },
  { id: "machinery/1.6.r4", args: ["--requestheader-username-headers=a, "] },
  { id: "machinery/1.6.r4", args: ["--requestheader-group-headers= "] },
  { args: ["--requestheader-extra-headers-prefix= "] },
  { args: ["--requestheader-allowed-names= ,x"] },
  { id: "machinery/1.6.r5", args: ["--requestheader-uid-headers=x-other"] },
  { args: ["--requestheader-uid-headers= "] },
  { args: ["--requestheader-uid-headers=x-remote-uid", "--feature-gates=RemoteRequestHeaderUID=false"] },
  { id: "machinery/1.6.r6", args: ["--cloud-provider=gce"] },
  { id: "machinery/1.6.r7", args: ["--cidr-allocator-type=CloudAllocator"] },
  { id: "machinery/1.6.r8", args: ["--attach-detach-reconcile-sync-period=1ms"] },
  { id: "machinery/1.6.r9", args: ["--cluster-signing-kubelet-serving-key-file=k"] },
  { id: "machinery/1.6.r9", args: ["--cluster-signing-kubelet-client-cert-file=c"] },
  { args: ["--cluster-signing-kube-apiserver-client-cert-file=c"] },
  { args: ["--cluster-signing-legacy-unknown-key-file=k"] },
  {
    id: "machinery/1.6.r10",
    args: [
      "--cluster-signing-cert-file=c",
      "--cluster-signing-key-file=k",
      "--cluster-signing-legacy-unknown-key-file=k",
    ],
  },
  { id: "machinery/1.6.r11", args: ["--concurrent-service-endpoint-syncs=0"] },
  { args: ["--concurrent-service-endpoint-syncs=51", "--max-endpoints-per-slice=1001"] },
  { args: ["--max-endpoints-per-slice=0"] },
  { args: ["--mirroring-concurrent-service-endpoint-syncs=51"] },
  { id: "machinery/1.6.r11", args: ["--mirroring-max-endpoints-per-subset=0"] },
  {
    id: "machinery/1.6.r12",
    args: ["--concurrent-cron-job-syncs=0", "--concurrent-daemonset-syncs=0", "--concurrent-statefulset-syncs=0"],
  },
  { id: "machinery/1.6.r12", args: ["--concurrent-job-syncs=0", "--concurrent-ephemeralvolume-syncs=-1"] },
  { id: "machinery/1.6.r12", args: ["--concurrent-horizontal-pod-autoscaler-syncs=0"] },
  {
    id: "machinery/1.6.r13",
    args: ["--concurrent-device-taint-eviction-syncs=0", "--concurrent-resourceclaim-syncs=-5"],
  },
  { id: "machinery/1.6.r14", args: ["--service-cluster-ip-range=a,b,c"] },
  { id: "machinery/1.6.r15", args: ["--show-hidden-metrics-for-version=1.20"] },
  { id: "machinery/1.6.r15", args: ["--disabled-metrics=a-b"] },
  { args: ["--allow-metric-labels=a=b"] },
  { args: ["--allow-metric-labels=a,b=c", "--allow-metric-labels-manifest=x"] },
  { args: ["--allow-metric-labels-manifest", file("lists.yaml", '"a": "b"')] },
  {
    args: ["--allow-metric-labels-manifest", file("broken.yaml", "a: [")],
    like: /failed to parse allow list manifest/,
  },
  { args: ["--secure-port=-1", "--controllers=nonsense", "--cloud-provider=gce"] },
  { args: ["--kubeconfig", missing] },
  { args: ["--kubeconfig", directory], like: /is a directory/ },
  { args: ["--kubeconfig", empty] },
  { args: ["--kubeconfig", file("bad.yaml", "a: [")], like: /^error loading config file ".*bad\.yaml": / },
  { args: ["--kubeconfig", file("kind.kubeconfig", '{"apiVersion":"v1","kind":"Pod"}')], like: /kind\.kubeconfig|Pod/ },
  { args: ["--kubeconfig", file("context.kubeconfig", kubeconfig({ context: "y" }))] },
  { args: ["--kubeconfig", file("server.kubeconfig", kubeconfig({ cluster: { server: "" } }))] },
  {
    args: [
      "--kubeconfig",
      file("ca.kubeconfig", kubeconfig({ cluster: { server: "https://a", "certificate-authority": missing } })),
    ],
  },
  {
    args: [
      "--kubeconfig",
      file("cadata.kubeconfig", kubeconfig({ cluster: { server: "https://a", "certificate-authority-data": "!" } })),
    ],
    like: /cadata\.kubeconfig.*(base64|illegal)/,
  },
  {
    args: [
      "--kubeconfig",
      file("cert.kubeconfig", kubeconfig({ user: { "client-certificate": missing, "client-key": missing } })),
    ],
  },
  { args: ["--kubeconfig", file("key.kubeconfig", kubeconfig({ user: { "client-certificate": cert } }))] },
  {
    args: ["--kubeconfig", file("two.kubeconfig", kubeconfig({ user: { token: "t", username: "u", password: "p" } }))],
  },
  { args: ["--kubeconfig", file("exec.kubeconfig", kubeconfig({ user: { exec: { command: "x" } } }))] },
  { args: ["--kubeconfig", file("token.kubeconfig", kubeconfig({ user: { tokenFile: missing } }))] },
  ...[
    { "certificate-authority-data": "eA==" },
    { "certificate-authority-data": "eA==", "insecure-skip-tls-verify": true },
  ].map((tls, index) => ({
    args: ["--kubeconfig", file(`tls-${index}.kubeconfig`, kubeconfig({ cluster: { server: "https://a", ...tls } }))],
  })),
  {
    args: [
      "--kubeconfig",
      file("pair.kubeconfig", kubeconfig({ user: { "client-certificate-data": "eA==", "client-key-data": "eA==" } })),
    ],
  },
  { args: ["--kubeconfig", good, "--kube-api-burst=0"] },
  { args: ["--kubeconfig", good, "--tls-cert-file", missing, "--tls-private-key-file", missing] },
  { args: ["--kubeconfig", good, "--tls-cert-file", cert] },
  { args: ["--kubeconfig", good, "--tls-private-key-file", key] },
  { args: ["--kubeconfig", good, "--tls-cert-file", cert, "--tls-private-key-file", otherKey] },
  { args: ["--kubeconfig", good, "--tls-cert-file", words, "--tls-private-key-file", key], like: /certificate input/ },
  { args: ["--kubeconfig", good, "--tls-cert-file", empty, "--tls-private-key-file", key] },
  { id: "machinery/2.4.4", args: ["--kubeconfig", good, "--tls-cipher-suites=TLS_NONE"] },
  { id: "machinery/2.4.4", args: ["--kubeconfig", good, "--tls-min-version=VersionTLS14"] },
  { id: "machinery/2.4.4", args: ["--kubeconfig", good, "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"] },
  { id: "machinery/2.4.4", args: ["--kubeconfig", good, "--tls-curve-preferences=23,23"] },
  { args: ["--kubeconfig", good, "--tls-curve-preferences=0"] },
  { args: ["--kubeconfig", good, "--tls-curve-preferences=77"] },
  { args: ["--kubeconfig", good, `--tls-sni-cert-key=${missing},${missing}`] },
  { args: ["--kubeconfig", good, "--cert-dir", halfDirectory] },
  { args: ["--kubeconfig", good, "--client-ca-file", missing] },
  { args: ["--kubeconfig", good, "--client-ca-file", words] },
  { args: ["--kubeconfig", good, "--client-ca-file", empty] },
  { args: ["--kubeconfig", good, "--requestheader-client-ca-file", missing] },
  { args: ["--kubeconfig", good, "--authentication-kubeconfig", missing] },
  { args: ["--kubeconfig", good, "--authorization-kubeconfig", missing] },
  { args: ["--kubeconfig", good, "--authentication-kubeconfig", good] },
  { args: ["--kubeconfig", good, "--authorization-always-allow-paths=/a*b"] },
  { args: ["--kubeconfig", good, "--bind-address=192.0.2.1"] },
  { args: ["--kubeconfig", good, "--enable-leader-migration", "--leader-migration-config", missing] },
  {
    args: ["--kubeconfig", good, "--enable-leader-migration", "--leader-migration-config", words],
    like: /json|unmarshal|Kind/,
  },
  { args: ["--kubeconfig", good, "--enable-leader-migration", "--leader-migration-config", migration("{}")] },
  {
    args: [
      "--kubeconfig",
      good,
      "--enable-leader-migration",
      "--leader-migration-config",
      migration(`{"apiVersion":"${lm}/v1","kind":"Other"}`),
    ],
    like: /no kind "Other" is registered/,
  },
  {
    args: [
      "--kubeconfig",
      good,
      "--enable-leader-migration",
      "--leader-migration-config",
      migration(`{"apiVersion":"${lm}/v7","kind":"LeaderMigrationConfiguration"}`),
    ],
    like: /v7/,
  },
  {
    args: [
      "--kubeconfig",
      good,
      "--enable-leader-migration",
      "--leader-migration-config",
      migration(`{"apiVersion":"${lm}/v1","kind":"LeaderMigrationConfiguration"}`),
    ],
  },
  {
    args: [
      "--kubeconfig",
      good,
      "--enable-leader-migration",
      "--leader-migration-config",
      migration(
        `{"apiVersion":"${lm}/v1beta1","kind":"LeaderMigrationConfiguration","resourceLock":"x","controllerLeaders":[{"name":"a"},{}]}`,
      ),
    ],
  },
  {
    args: [
      "--kubeconfig",
      good,
      "--enable-leader-migration",
      "--leader-migration-config",
      migration(`{"apiVersion":"${lm}/v1","kind":"LeaderMigrationConfiguration","leaderName":"x","more":1}`),
    ],
  },
  { args: ["--kubeconfig", good, "--leader-elect-lease-duration=10s"] },
  { args: ["--kubeconfig", good, "--leader-elect-renew-deadline=2s"] },
  {
    args: [
      "--kubeconfig",
      good,
      "--leader-elect-retry-period=0s",
      "--leader-elect-renew-deadline=1ns",
      "--leader-elect-lease-duration=2ns",
    ],
  },
  {
    args: ["--kubeconfig", good, "--leader-elect=false"],
    like: /^failed to wait for apiserver being healthy: .*(connection refused|ECONNREFUSED|timed out|deadline)/,
  },
];
