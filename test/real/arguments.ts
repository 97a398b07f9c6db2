// The command lines of the real programs: a cluster as kubeadm sets it up, on loopback.

import { join } from "node:path";
import { frontProxyUser, type Pki } from "./pki.ts";

const serviceCidr = "10.0.0.0/24";
const clusterCidr = "10.244.0.0/16";
// The endpoints of default/kubernetes must not be a loopback address. No client dials this one (TEST-NET-1).
const advertisedAddress = "192.0.2.1";
const auditLogMegabytesMax = 1024;

export function etcdFlags(o: { directory: string; clientUrl: string; peerUrl: string }): string[] {
  return [
    `--data-dir=${join(o.directory, "etcd")}`,
    `--listen-client-urls=${o.clientUrl}`,
    `--advertise-client-urls=${o.clientUrl}`,
    `--listen-peer-urls=${o.peerUrl}`,
    `--initial-advertise-peer-urls=${o.peerUrl}`,
    `--initial-cluster=default=${o.peerUrl}`,
    "--unsafe-no-fsync",
  ];
}

export function apiServerFlags(o: {
  pki: Pki;
  port: number;
  etcdUrl: string;
  auditFile: string;
  policyFile: string;
}): string[] {
  return [
    `--etcd-servers=${o.etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${o.port}`,
    `--advertise-address=${advertisedAddress}`,
    `--tls-cert-file=${o.pki.file("serving.crt")}`,
    `--tls-private-key-file=${o.pki.file("serving.key")}`,
    `--client-ca-file=${o.pki.file("ca.crt")}`,
    "--authorization-mode=Node,RBAC",
    "--allow-privileged=true",
    `--service-cluster-ip-range=${serviceCidr}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${o.pki.file("service-account.pub")}`,
    `--service-account-signing-key-file=${o.pki.file("service-account.key")}`,
    `--requestheader-client-ca-file=${o.pki.file("front-proxy-ca.crt")}`,
    `--requestheader-allowed-names=${frontProxyUser}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${o.pki.file("front-proxy.crt")}`,
    `--proxy-client-key-file=${o.pki.file("front-proxy.key")}`,
    `--audit-policy-file=${o.policyFile}`,
    `--audit-log-path=${o.auditFile}`,
    `--audit-log-maxsize=${auditLogMegabytesMax}`,
  ];
}

export interface ManagerOptions {
  /** The value of --controllers, for example `["*", "-replicaset-controller"]`. */
  readonly controllers?: readonly string[];
  /** Appended to the default flags; the last value of a flag wins. */
  readonly flags?: readonly string[];
}

export function managerFlags(o: ManagerOptions & { pki: Pki; kubeconfig: string; port: number }): string[] {
  return [
    ...servingFlags(o),
    `--kubeconfig=${o.kubeconfig}`,
    `--client-ca-file=${o.pki.file("ca.crt")}`,
    `--root-ca-file=${o.pki.file("ca.crt")}`,
    `--cluster-signing-cert-file=${o.pki.file("ca.crt")}`,
    `--cluster-signing-key-file=${o.pki.file("ca.key")}`,
    `--service-account-private-key-file=${o.pki.file("service-account.key")}`,
    `--requestheader-client-ca-file=${o.pki.file("front-proxy-ca.crt")}`,
    "--use-service-account-credentials=true",
    `--cluster-cidr=${clusterCidr}`,
    `--service-cluster-ip-range=${serviceCidr}`,
    `--controllers=${(o.controllers ?? ["*"]).join(",")}`,
    ...(o.flags ?? []),
  ];
}

export function schedulerFlags(o: { pki: Pki; kubeconfig: string; port: number }): string[] {
  return [...servingFlags(o), `--kubeconfig=${o.kubeconfig}`];
}

function servingFlags(o: { pki: Pki; kubeconfig: string; port: number }): string[] {
  return [
    "--bind-address=127.0.0.1",
    `--secure-port=${o.port}`,
    `--tls-cert-file=${o.pki.file("serving.crt")}`,
    `--tls-private-key-file=${o.pki.file("serving.key")}`,
    `--authentication-kubeconfig=${o.kubeconfig}`,
    `--authorization-kubeconfig=${o.kubeconfig}`,
    "--leader-elect=false",
  ];
}
