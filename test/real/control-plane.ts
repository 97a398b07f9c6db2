// A real control plane for tests: etcd and kube-apiserver v1.36.4 on free loopback ports, with a CA, RBAC and an audit
// log. On request, also the Go manager, the scheduler and a fault proxy. All processes end with the test process
// (processes.ts).

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyCertificate } from "#platform/certificates/x509.ts";
import { binaryPath } from "#tools/control-plane-binaries.ts";
import { apiServerFlags, etcdFlags, type ManagerOptions, managerFlags, schedulerFlags } from "./arguments.ts";
import { type AuditLog, auditPolicy, openAuditLog } from "./audit-log.ts";
import { compact } from "./etcd.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { callHttps, type HttpsAnswer, type HttpsCall } from "./https.ts";
import { createPki, type Pki } from "./pki.ts";
import { type Command, freePorts, openProcessScope, type ProcessScope, type Program, untilReady } from "./processes.ts";

const readyTimeoutMs = 60_000;
const startAttemptsMax = 3;

export interface ControlPlaneOptions {
  /** Appended to the default flags; the last value of a flag wins: feature gates, admission plugins and so on. */
  readonly apiServerFlags?: readonly string[];
  /** Rules of the audit policy before the default rules. */
  readonly auditRules?: readonly object[];
}

export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
}

export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningManager extends Program {
  /** https://127.0.0.1:<port>, for health and metrics. */
  readonly url: string;
  /** Sends one request as the administrator, unless `more` says otherwise. */
  ask(path: string, more?: Partial<HttpsCall>): Promise<HttpsAnswer>;
  /** The text of such an answer. */
  page(path: string): Promise<string>;
}

export interface ControlPlane {
  readonly server: string;
  readonly directory: string;
  readonly pki: Pki;
  readonly audit: AuditLog;
  /** Path of a kubeconfig of a member of system:masters. */
  readonly adminKubeconfig: string;
  readonly admin: KeyCertificate;
  readonly apiServer: Program;
  readonly etcd: Program;
  /** The URL of etcd; it needs no credentials. */
  readonly etcdUrl: string;
  /** Writes a kubeconfig with a client certificate or a token; `server` may be a fault proxy. */
  kubeconfigFor(identity: Identity | { readonly token: string }, server?: string): string;
  /** A token of the service account, which is created if it does not exist. */
  tokenFor(namespace: string, name: string): Promise<string>;
  /** Sends one request as the administrator. */
  request(method: string, path: string, body?: unknown, headers?: HttpsCall["headers"]): Promise<HttpsAnswer>;
  kubectl(args: readonly string[], stdin?: string): Promise<CommandOutcome>;
  /** Starts the Go manager; resolves when /healthz answers. */
  startGoManager(options?: ManagerOptions): Promise<RunningManager>;
  /** Any program that takes the Go manager's flags, with the same flags and identity. */
  startManager(command: Command, options?: ManagerOptions): Promise<RunningManager>;
  /** Starts the Go scheduler; the last value of a flag wins. */
  startScheduler(flags?: readonly string[]): Promise<RunningManager>;
  startFaultProxy(): Promise<FaultProxy>;
  /** Stops the API server and starts it again on the same port and data; resolves when it is ready. */
  restartApiServer(): Promise<void>;
  /** kill -9: work in progress is lost. */
  killApiServer(): Promise<void>;
  /** Starts a killed API server on the same port and data; resolves when it is ready. */
  reviveApiServer(): Promise<void>;
  /** Drops all history before now, so that older resource versions are gone. */
  compactEtcd(): Promise<void>;
  /** Stops the API server before etcd: in the other order it hangs. */
  stop(): Promise<void>;
}

/** The instance that all suites of a process share; it ends with the process. */
let shared: Promise<ControlPlane> | undefined;
export function sharedControlPlane(): Promise<ControlPlane> {
  shared ??= startControlPlane();
  return shared;
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt++) {
    const scope = openProcessScope("steersman-real");
    try {
      return await startIn(scope, options);
    } catch (error) {
      await scope.close();
      // Another process may take a free port before it is bound.
      const isPortTaken = error instanceof Error && error.message.includes("address already in use");
      if (!isPortTaken || attempt === startAttemptsMax) throw error;
    }
  }
}

async function startIn(scope: ProcessScope, options: ControlPlaneOptions): Promise<ControlPlane> {
  const { directory } = scope;
  const pki = createPki(directory);
  const [etcdPort = 0, peerPort = 0, apiPort = 0] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const server = `https://127.0.0.1:${apiPort}`;
  const auditFile = join(directory, "audit.log");
  const policyFile = join(directory, "audit-policy.json");
  const rules = [...(options.auditRules ?? []), ...auditPolicy.rules];
  writeFileSync(policyFile, JSON.stringify({ ...auditPolicy, rules }));
  const admin = pki.clientCertificate("test-admin", ["system:masters"]);

  const etcd = scope.start({
    name: "etcd",
    command: [
      binaryPath("etcd"),
      ...etcdFlags({ directory, clientUrl: etcdUrl, peerUrl: `http://127.0.0.1:${peerPort}` }),
    ],
  });
  const startApiServer = (): Program =>
    scope.start({
      name: "kube-apiserver",
      command: [
        binaryPath("kube-apiserver"),
        ...apiServerFlags({ pki, port: apiPort, etcdUrl, auditFile, policyFile }),
        ...(options.apiServerFlags ?? []),
      ],
    });
  let apiServer = startApiServer();

  const request: ControlPlane["request"] = (method, path, body, headers = {}) =>
    callHttps({ url: server + path, method, caPem: pki.ca.certificatePem, client: admin, body, headers });
  const apiServerReady = (): Promise<void> =>
    untilReady([apiServer, etcd], readyTimeoutMs, () => isHealthy(() => request("GET", "/readyz")));
  const reviveApiServer = async (): Promise<void> => {
    apiServer = startApiServer();
    await apiServerReady();
  };
  const kubeconfigFor = kubeconfigWriter(directory, pki, server);
  const adminKubeconfig = kubeconfigFor({ user: "test-admin", groups: ["system:masters"] });
  const startServing = serverStarter(scope, pki, admin, kubeconfigFor);
  const startManager: ControlPlane["startManager"] = (command, managerOptions = {}) =>
    startServing("kube-controller-manager", command, (kubeconfig, port) =>
      managerFlags({ pki, kubeconfig, port, ...managerOptions }),
    );
  const proxies: FaultProxy[] = [];
  await apiServerReady();

  return {
    server,
    directory,
    pki,
    audit: openAuditLog(auditFile),
    adminKubeconfig,
    admin,
    etcd,
    etcdUrl,
    get apiServer() {
      return apiServer;
    },
    kubeconfigFor,
    request,
    tokenFor: (namespace, name) => requestToken(request, namespace, name),
    kubectl: (args, stdin) => runKubectl(directory, adminKubeconfig, args, stdin),
    startManager,
    startGoManager: (managerOptions) => startManager([binaryPath("kube-controller-manager")], managerOptions),
    startScheduler: (flags = []) =>
      startServing("kube-scheduler", [binaryPath("kube-scheduler")], (kubeconfig, port) => [
        ...schedulerFlags({ pki, kubeconfig, port }),
        ...flags,
      ]),
    async startFaultProxy() {
      const proxy = await startFaultProxy(pki, apiPort);
      proxies.push(proxy);
      return proxy;
    },
    async restartApiServer() {
      await apiServer.stop();
      await reviveApiServer();
    },
    async killApiServer() {
      await apiServer.stop("SIGKILL");
    },
    reviveApiServer,
    compactEtcd: () => compact(etcdUrl),
    async stop() {
      for (const proxy of proxies) proxy.close();
      await scope.close();
    },
  };
}

async function isHealthy(probe: () => Promise<HttpsAnswer>): Promise<boolean> {
  return await probe().then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Starts programs that serve health on a separate TLS port, as the user `system:<name>`. */
function serverStarter(
  scope: ProcessScope,
  pki: Pki,
  admin: KeyCertificate,
  kubeconfigFor: ControlPlane["kubeconfigFor"],
) {
  return async (
    name: string,
    command: Command,
    flags: (kubeconfig: string, port: number) => readonly string[],
  ): Promise<RunningManager> => {
    const [port = 0] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const program = scope.start({
      name,
      command: [...command, ...flags(kubeconfigFor({ user: `system:${name}` }), port)],
    });
    await untilReady([program], readyTimeoutMs, () =>
      isHealthy(() => callHttps({ url: `${url}/healthz`, caPem: pki.ca.certificatePem })),
    );
    const ask: RunningManager["ask"] = (path, more) =>
      callHttps({ url: url + path, caPem: pki.ca.certificatePem, client: admin, ...more });
    return Object.assign(program, { url, ask, page: async (path: string) => (await ask(path)).text });
  };
}

function kubeconfigWriter(directory: string, pki: Pki, defaultServer: string): ControlPlane["kubeconfigFor"] {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const credentialsOf = (identity: Parameters<ControlPlane["kubeconfigFor"]>[0]): object => {
    if ("token" in identity) return identity;
    const { certificatePem, keyPem } = pki.clientCertificate(identity.user, identity.groups);
    return { "client-certificate-data": base64(certificatePem), "client-key-data": base64(keyPem) };
  };
  let written = 0;
  return (identity, server = defaultServer) => {
    const file = join(directory, `kubeconfig-${++written}`);
    const cluster = { server, "certificate-authority-data": base64(pki.ca.certificatePem) };
    // JSON is YAML.
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster }],
      users: [{ name: "test", user: credentialsOf(identity) }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
      "current-context": "test",
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  };
}

async function requestToken(request: ControlPlane["request"], namespace: string, name: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const created = await request("POST", accounts, { metadata: { name } });
  if (created.status !== 201 && created.status !== 409) throw new Error(`service account: ${created.text}`);
  const answer = await request("POST", `${accounts}/${name}/token`, {
    spec: { audiences: [], expirationSeconds: 3600 },
  });
  if (answer.status !== 201) throw new Error(`token: ${answer.text}`);
  return (JSON.parse(answer.text) as { status: { token: string } }).status.token;
}

function runKubectl(
  directory: string,
  kubeconfig: string,
  args: readonly string[],
  stdin = "",
): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(binaryPath("kubectl"), args, {
      cwd: directory,
      env: { PATH: process.env.PATH ?? "", HOME: directory, KUBECONFIG: kubeconfig },
    });
    const outcome = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      outcome.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      outcome.stderr += text;
    });
    child.on("error", reject).on("close", (code) => resolve({ code: code ?? -1, ...outcome }));
    child.stdin.end(stdin);
  });
}
