// The kubeconfig model: reads the decoded document, merges several, and chooses the part that one client needs. Files,
// programs and sockets are handled in platform/.
// Upstream: client-go/tools/clientcmd/{loader,merge,client_config}.go

import { aggregateText } from "#base/errors.ts";
import { Fields, KubeconfigSyntaxError } from "#client/kubeconfig-fields.ts";
import { type KubeconfigProblem, problemsOf } from "#client/kubeconfig-validation.ts";

export interface Cluster {
  readonly server?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly certificateAuthority?: string;
  /** PEM; wins over the file. */
  readonly certificateAuthorityData?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  /** Passed to a credential plugin beside the cluster's other fields. */
  readonly execConfig?: unknown;
}

export interface ExecConfig {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

export interface User {
  readonly clientCertificate?: string;
  readonly clientCertificateData?: string;
  readonly clientKey?: string;
  readonly clientKeyData?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly impersonate?: Impersonation;
  readonly exec?: ExecConfig;
  readonly hasAuthProvider?: boolean;
}

export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface Context {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly users: ReadonlyMap<string, User>;
  readonly contexts: ReadonlyMap<string, Context>;
  readonly currentContext: string;
}

/** All that one client needs to reach one cluster as one user. */
export interface ClientConfig extends User {
  readonly server: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly certificateAuthority?: string;
  readonly certificateAuthorityData?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly execConfig?: unknown;
  readonly namespace: string;
}

export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly problems: readonly KubeconfigProblem[];
  constructor(problems: readonly KubeconfigProblem[]) {
    super(`invalid configuration: ${aggregateText(problems.map(({ message }) => message))}`);
    this.problems = problems;
  }
  /** There was no kubeconfig to read. The caller may have another way to reach the cluster. */
  get isEmpty(): boolean {
    return this.problems.length === 1 && this.problems[0]?.code === "EmptyConfig";
  }
}

export const EMPTY_KUBECONFIG: Kubeconfig = {
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: "",
};

/** Relative file names are relative to the document; resolvePath makes them absolute. */
export function parseKubeconfig(document: unknown, resolvePath: (path: string) => string): Kubeconfig {
  if (document === null || document === undefined) return EMPTY_KUBECONFIG;
  const root = new Fields(document, "kubeconfig");
  const kind = root.text("kind");
  if (kind !== undefined && kind !== "Config") throw new KubeconfigSyntaxError(`kubeconfig is of kind ${kind}`);
  const version = root.text("apiVersion") ?? "";
  if (version !== "" && version !== "v1") {
    throw new KubeconfigSyntaxError(`no kind "Config" is registered for version "${version}"`);
  }
  const path = (value: string | undefined): string | undefined => (value ? resolvePath(value) : undefined);
  return {
    clusters: root.named("clusters", "cluster", (fields) => readCluster(fields, path)),
    users: root.named("users", "user", (fields) => readUser(fields, path)),
    contexts: root.named("contexts", "context", (fields) => ({
      cluster: fields.text("cluster") ?? "",
      user: fields.text("user") ?? "",
      namespace: fields.text("namespace") ?? "",
    })),
    currentContext: root.text("current-context") ?? "",
  };
}

function readCluster(fields: Fields, path: (value: string | undefined) => string | undefined): Cluster {
  return defined({
    // An entry without fields still counts as a cluster.
    server: fields.text("server") ?? "",
    tlsServerName: fields.text("tls-server-name"),
    insecureSkipTlsVerify: fields.flag("insecure-skip-tls-verify"),
    certificateAuthority: path(fields.text("certificate-authority")),
    certificateAuthorityData: fields.base64("certificate-authority-data"),
    proxyUrl: fields.text("proxy-url"),
    disableCompression: fields.flag("disable-compression"),
    execConfig: fields.extension("client.authentication.k8s.io/exec"),
  });
}

function readUser(fields: Fields, path: (value: string | undefined) => string | undefined): User {
  return defined({
    clientCertificate: path(fields.text("client-certificate")),
    clientCertificateData: fields.base64("client-certificate-data"),
    clientKey: path(fields.text("client-key")),
    clientKeyData: fields.base64("client-key-data"),
    token: fields.text("token"),
    tokenFile: path(fields.text("tokenFile")),
    username: fields.text("username"),
    password: fields.text("password"),
    impersonate: readImpersonation(fields),
    exec: fields.child("exec", (exec) => readExec(exec, path)),
    hasAuthProvider: fields.child("auth-provider", () => true),
  });
}

function readImpersonation(fields: Fields): Impersonation | undefined {
  const impersonation = {
    user: fields.text("as") ?? "",
    uid: fields.text("as-uid") ?? "",
    groups: fields.texts("as-groups"),
    extra: fields.textLists("as-user-extra"),
  };
  const { user, uid, groups, extra } = impersonation;
  return user || uid || groups.length > 0 || Object.keys(extra).length > 0 ? impersonation : undefined;
}

/** A command that is a path is relative to the document; a bare name is looked up when it runs. */
function readExec(fields: Fields, path: (value: string | undefined) => string | undefined): ExecConfig {
  const command = fields.text("command") ?? "";
  const apiVersion = fields.text("apiVersion") ?? "";
  const mode = fields.text("interactiveMode") ?? "";
  return {
    command: command.includes("/") ? (path(command) ?? "") : command,
    args: fields.texts("args"),
    env: fields.list("env", (entry) => ({ name: entry.text("name") ?? "", value: entry.text("value") ?? "" })),
    apiVersion,
    installHint: fields.text("installHint") ?? "",
    provideClusterInfo: fields.flag("provideClusterInfo") ?? false,
    interactiveMode: mode || (apiVersion === "client.authentication.k8s.io/v1beta1" ? "IfAvailable" : ""),
  };
}

/** The first document that names an entry wins; entries are taken whole. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const lastFirst = configs.toReversed();
  return {
    clusters: new Map(lastFirst.flatMap((config) => [...config.clusters])),
    users: new Map(lastFirst.flatMap((config) => [...config.users])),
    contexts: new Map(lastFirst.flatMap((config) => [...config.contexts])),
    currentContext: configs.find((config) => config.currentContext)?.currentContext ?? "",
  };
}

export interface ChooseOptions {
  /** Instead of the current context. */
  readonly context?: string;
  /** Instead of the cluster's server, as --master gives it. */
  readonly server?: string;
  /** Why a file cannot be read; undefined when it can. */
  readonly fileProblem: (path: string) => string | undefined;
}

/** The cluster and user of the chosen context. Throws a KubeconfigError that lists every problem. */
// Upstream: client-go/tools/clientcmd/client_config.go, DirectClientConfig.ClientConfig and ConfirmUsable
export function chooseClient(config: Kubeconfig, options: ChooseOptions): ClientConfig {
  const { context: wanted, server, fileProblem } = options;
  const contextName = wanted || config.currentContext;
  const context = config.contexts.get(contextName);
  if (wanted && !context)
    throw new KubeconfigError([{ code: "NotFound", message: `context "${wanted}" does not exist` }]);
  const user = config.users.get(context?.user ?? "") ?? {};
  const named = config.clusters.get(context?.cluster ?? "") ?? {};
  // The certificate of another server carries another name.
  const { tlsServerName: _, ...unnamed } = named;
  const cluster: Cluster = server ? { ...unnamed, server } : named;
  const problems = problemsOf({
    contextName,
    isContextKnown: context !== undefined,
    userName: context?.user ?? "",
    user,
    clusterName: context?.cluster ?? "",
    cluster,
    fileProblem,
  });
  if (problems.length > 0) throw new KubeconfigError(problems);
  const { server: url = "", ...rest } = cluster;
  return { ...user, ...rest, server: url, namespace: context?.namespace || "default" };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
