// Validates the part of a kubeconfig that one client uses, with kubectl's messages.
// Upstream: client-go/tools/clientcmd/validation.go

import type { Cluster, User } from "#client/kubeconfig.ts";

export interface KubeconfigProblem {
  readonly code: "EmptyConfig" | "EmptyCluster" | "NotFound" | "Invalid";
  readonly message: string;
}

export interface Chosen {
  readonly contextName: string;
  readonly isContextKnown: boolean;
  readonly userName: string;
  readonly user: User;
  readonly clusterName: string;
  readonly cluster: Cluster;
  readonly fileProblem: (path: string) => string | undefined;
}

const EMPTY_CONFIG = "no configuration has been provided, try setting KUBERNETES_MASTER environment variable";
const PROXY_SCHEMES = ["http:", "https:", "socks5:"];

export function problemsOf(chosen: Chosen): readonly KubeconfigProblem[] {
  const problems: KubeconfigProblem[] = [];
  if (chosen.contextName && !chosen.isContextKnown) {
    problems.push({
      code: "NotFound",
      message: `context was not found for specified context: ${chosen.contextName}`,
    });
  }
  problems.push(...userProblems(chosen).map(invalid), ...clusterProblems(chosen));
  const [first, ...others] = problems;
  if (first?.code === "EmptyCluster" && others.length === 0) return [{ code: "EmptyConfig", message: EMPTY_CONFIG }];
  return problems;
}

function invalid(message: string): KubeconfigProblem {
  return { code: "Invalid", message };
}

function clusterProblems({ cluster, clusterName, fileProblem }: Chosen): readonly KubeconfigProblem[] {
  if (Object.keys(cluster).length === 0) return [{ code: "EmptyCluster", message: "cluster has no server defined" }];
  const { server, proxyUrl, certificateAuthority, certificateAuthorityData } = cluster;
  const problems: string[] = [];
  if (!server) {
    problems.push(
      clusterName ? `no server found for cluster "${clusterName}"` : "default cluster has no server defined",
    );
  }
  const proxyProblem = proxyUrl && problemOfProxy(proxyUrl);
  if (proxyProblem) {
    problems.push(`invalid 'proxy-url' "${withoutPassword(proxyUrl)}" for cluster "${clusterName}": ${proxyProblem}`);
  }
  if (certificateAuthority && certificateAuthorityData) {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${clusterName}. certificate-authority-data will override.`,
    );
  }
  const unreadable = certificateAuthority && fileProblem(certificateAuthority);
  if (unreadable) {
    problems.push(
      `unable to read certificate-authority ${certificateAuthority} for ${clusterName} due to ${unreadable}`,
    );
  }
  return problems.map(invalid);
}

/** A URL for messages, with the password redacted. A well-formed URL is redacted as in Go. */
// Deviation: upstream prints a URL that it cannot parse unchanged, with its password.
export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/|^)([^:@/]*):(?!\/\/).*@/, "$1$2:xxxxx@");
}

function problemOfProxy(proxyUrl: string): string | undefined {
  if (!URL.canParse(proxyUrl)) return `could not parse: ${withoutPassword(proxyUrl)}`;
  const { protocol } = new URL(proxyUrl);
  if (PROXY_SCHEMES.includes(protocol)) return undefined;
  return `unsupported scheme "${protocol.slice(0, -1)}", must be http, https, or socks5`;
}

function userProblems({ user, userName, fileProblem }: Chosen): readonly string[] {
  const problems = [...certificateProblems(user, userName, fileProblem), ...execProblems(user, userName)];
  const methods = [user.token && "token", (user.username || user.password) && "basicAuth"].filter(Boolean);
  if (methods.length > 1) {
    problems.push(
      `more than one authentication method found for ${userName}; found [${methods.join(" ")}], only one is allowed`,
    );
  }
  if (user.impersonate && !user.impersonate.user) {
    problems.push(`requesting uid, groups or user-extra for ${userName} without impersonating a user`);
  }
  return problems;
}

function certificateProblems(user: User, name: string, fileProblem: Chosen["fileProblem"]): string[] {
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  if (!clientCertificate && !clientCertificateData) return [];
  const problems: string[] = [];
  if (clientCertificate && clientCertificateData) {
    problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`);
  }
  if (clientKey && clientKeyData) {
    problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
  }
  if (!clientKey && !clientKeyData) {
    problems.push(
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    );
  }
  const badCertificate = clientCertificate && fileProblem(clientCertificate);
  if (badCertificate)
    problems.push(`unable to read client-cert ${clientCertificate} for ${name} due to ${badCertificate}`);
  const badKey = clientKey && fileProblem(clientKey);
  if (badKey) problems.push(`unable to read client-key ${clientKey} for ${name} due to ${badKey}`);
  return problems;
}

const INTERACTIVE_MODES = ["Never", "IfAvailable", "Always"];

function execProblems({ exec, hasAuthProvider }: User, name: string): string[] {
  if (!exec) return [];
  const problems: string[] = [];
  const demand = (isMet: unknown, what: string): void => {
    if (!isMet) problems.push(`${what} must be specified for ${name} to use exec authentication plugin`);
  };
  if (hasAuthProvider) {
    problems.push(`authProvider cannot be provided in combination with an exec plugin for ${name}`);
  }
  demand(exec.command, "command");
  demand(exec.apiVersion, "apiVersion");
  for (const variable of exec.env) demand(variable.name, "env variable name");
  demand(exec.interactiveMode, "interactiveMode");
  if (exec.interactiveMode && !INTERACTIVE_MODES.includes(exec.interactiveMode)) {
    problems.push(`invalid interactiveMode for ${name}: "${exec.interactiveMode}"`);
  }
  return problems;
}
