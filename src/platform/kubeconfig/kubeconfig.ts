// Loads the client configuration: from kubeconfig files, the pod's service account, or a bare URL.
// Upstream: client-go/tools/clientcmd/{loader,client_config}.go; client-go/rest/config.go, InClusterConfig
import { accessSync, constants, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { errorMessage } from "#base/errors.ts";
import {
  type ClientConfig,
  chooseClient,
  EMPTY_KUBECONFIG,
  type Kubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
} from "#client/kubeconfig.ts";

export interface ClientConfigOptions {
  /** --kubeconfig; must exist. */
  readonly path?: string;
  /** --master. */
  readonly server?: string;
  readonly context?: string;
  /** Use KUBECONFIG and ~/.kube/config if no path is given, as kubectl does and daemons do not. */
  readonly usesDefaultFiles?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly warn?: (text: string) => void;
}

const SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount";

/** There is no service account of a pod. */
export class NotInCluster extends Error {
  override readonly name = "NotInCluster";
  constructor() {
    super(
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
    );
  }
}

/** A kubeconfig file that cannot be used. */
export class KubeconfigFileError extends Error {
  override readonly name = "KubeconfigFileError";
}

/** Combines --kubeconfig and --master. Without either, uses the pod's service account. */
export async function loadClientConfig(options: ClientConfigOptions): Promise<ClientConfig> {
  const { path, server, context, warn, env = process.env } = options;
  if (!path && !server && !options.usesDefaultFiles) {
    warn?.("Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work.");
    try {
      return inClusterConfig(env);
    } catch (error) {
      warn?.(`error creating inClusterConfig, falling back to default config: ${errorMessage(error)}`);
    }
  }
  const kubeconfig = await loadKubeconfig(options);
  return chooseClient(kubeconfig, { fileProblem, ...(server && { server }), ...(context && { context }) });
}

export async function loadKubeconfig(options: ClientConfigOptions): Promise<Kubeconfig> {
  if (options.path) return await readKubeconfigFile(options.path);
  if (!options.usesDefaultFiles) return EMPTY_KUBECONFIG;
  const configs: Kubeconfig[] = [];
  for (const path of defaultFiles(options.env ?? process.env)) {
    try {
      configs.push(await readKubeconfigFile(path));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return mergeKubeconfigs(configs);
}

export function inClusterConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  dir: string = SERVICE_ACCOUNT_DIR,
): ClientConfig {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) throw new NotInCluster();
  const tokenFile = join(dir, "token");
  const certificateAuthority = join(dir, "ca.crt");
  // A missing token fails here instead of at the first request.
  const problem = fileProblem(tokenFile);
  if (problem !== undefined) throw new KubeconfigFileError(problem);
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    tokenFile,
    ...(fileProblem(certificateAuthority) === undefined && { certificateAuthority }),
    namespace: namespaceOf(dir),
  };
}

function namespaceOf(dir: string): string {
  const path = join(dir, "namespace");
  return fileProblem(path) === undefined ? readFileSync(path, "utf8").trim() || "default" : "default";
}

async function readKubeconfigFile(path: string): Promise<Kubeconfig> {
  const text = readText(path);
  const parse = await yamlParser();
  try {
    const resolve = (file: string): string => (isAbsolute(file) ? file : join(dirname(path), file));
    return parseKubeconfig(parse(text), resolve);
  } catch (cause) {
    throw new KubeconfigFileError(`error loading config file "${path}": ${errorMessage(cause)}`, { cause });
  }
}

/** As Go: checks that the file exists before opening it. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (isMissing(cause)) {
      throw Object.assign(new KubeconfigFileError(`stat ${path}: no such file or directory`, { cause }), {
        code: "ENOENT",
      });
    }
    const { code } = cause as NodeJS.ErrnoException;
    const [operation, problem] = code === "EISDIR" ? ["read", "is a directory"] : ["open", "permission denied"];
    const text = code === "EISDIR" || code === "EACCES" ? `${operation} ${path}: ${problem}` : errorMessage(cause);
    throw new KubeconfigFileError(`error loading config file "${path}": ${text}`, { cause });
  }
}

/**
 * Bun has a built-in parser; the yaml package costs 10 MB and is loaded only on Node. Errors must not quote the file,
 * which contains keys and tokens.
 */
async function yamlParser(): Promise<(text: string) => unknown> {
  const bun = Reflect.get(globalThis, "Bun") as { YAML?: { parse(text: string): unknown } } | undefined;
  if (bun?.YAML) return quoteless(bun.YAML.parse, (error) => errorMessage(error).split(": ").slice(0, 2).join(": "));
  const { parse, YAMLParseError } = await import("yaml");
  return quoteless(
    (text) => parse(text, { logLevel: "error" }),
    (error) => {
      if (!(error instanceof YAMLParseError)) return "yaml: not valid";
      const line = error.linePos?.[0].line;
      return `yaml: ${line === undefined ? "" : `line ${line}: `}${error.code.toLowerCase().replaceAll("_", " ")}`;
    },
  );
}

function quoteless(parse: (text: string) => unknown, describe: (error: unknown) => string): (text: string) => unknown {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new KubeconfigFileError(describe(error));
    }
  };
}

function defaultFiles(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = env.KUBECONFIG?.split(delimiter).filter((path) => path !== "") ?? [];
  return named.length > 0 ? [...new Set(named)] : [join(env.HOME ?? homedir(), ".kube", "config")];
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Go's message, because users search for it. */
function fileProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return `open ${path}: no such file or directory`;
    if (code === "EACCES") return `open ${path}: permission denied`;
    return `open ${path}: ${errorMessage(error)}`;
  }
}
