// The kubeconfig of a cluster in one process. The names of cluster, user and context contain its port, so that the
// kubeconfigs of several clusters can be merged.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ClusterPki } from "#platform/certificates/cluster-pki.ts";
import { writePrivateFile } from "#platform/storage/private-file.ts";

export interface KubeconfigFile {
  readonly path: string;
  /**
   * Removes the file, unless another cluster has replaced it meanwhile, and the directories that were created for it.
   */
  remove(): void;
}

export function writeKubeconfig(directory: string, server: string, pki: ClusterPki): KubeconfigFile {
  const path = resolve(join(directory, "kubeconfig"));
  const content = kubeconfigText(server, pki);
  const firstMade = mkdirSync(directory, { recursive: true });
  writePrivateFile(path, content);
  return {
    path,
    remove() {
      if (!existsSync(path) || readFileSync(path, "utf8") !== content) return;
      rmSync(path);
      if (firstMade !== undefined) removeEmpty(dirname(path), dirname(resolve(firstMade)));
    },
  };
}

/** Removes this directory and its parents up to `last`, while they are empty. */
function removeEmpty(directory: string, last: string): void {
  for (let each = directory; each !== last && readdirSync(each).length === 0; each = dirname(each)) rmdirSync(each);
}

/** JSON is valid YAML. */
export function kubeconfigText(server: string, pki: ClusterPki): string {
  return `${JSON.stringify(kubeconfig(server, pki), undefined, 2)}\n`;
}

function kubeconfig(server: string, { ca, admin }: ClusterPki): object {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const name = `steersman-${new URL(server).port}`;
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": base64(ca.certificatePem) } }],
    users: [
      {
        name,
        user: {
          "client-certificate-data": base64(admin.certificatePem),
          "client-key-data": base64(admin.keyPem),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
}
