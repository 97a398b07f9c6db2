// Files of one volume that would hide one another.
// Upstream: pkg/api/pod/warnings.go, warningsForOverlappingVirtualPaths

import type * as core from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";

interface SourcedPath {
  readonly path: string;
  readonly source: string;
}

const printed = ({ path, source }: SourcedPath): string =>
  source === "" ? goQuote(path) : `${goQuote(path)} (${source})`;

const overlaps = (a: SourcedPath, b: SourcedPath): boolean =>
  a.path !== "" && b.path !== "" && (`${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`));

function pairs(paths: readonly SourcedPath[]): string[] {
  const trimmed = paths.map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }));
  return trimmed.flatMap((path, i) =>
    trimmed
      .slice(0, i)
      .filter((other) => overlaps(path, other))
      .map((other) => `${printed(path)} with ${printed(other)}`),
  );
}

const itemPaths = (items: readonly { readonly path?: string }[] | undefined, source = ""): SourcedPath[] =>
  (items ?? []).map(({ path = "" }) => ({ path, source }));

function projectedPaths(source: core.VolumeProjection): SourcedPath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap?.items) return itemPaths(configMap.items, `ConfigMap ${goQuote(configMap.name ?? "")}`);
  if (secret?.items) return itemPaths(secret.items, `Secret ${goQuote(secret.name ?? "")}`);
  if (downwardAPI?.items) return itemPaths(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return [{ path: serviceAccountToken.path ?? "", source: "ServiceAccountToken" }];
  if (clusterTrustBundle) {
    const { name, signerName, path = "" } = clusterTrustBundle;
    return [{ path, source: `ClusterTrustBundle ${goQuote(name ?? signerName ?? "")}` }];
  }
  const certificate = [
    { path: podCertificate?.certificateChainPath ?? "", source: "PodCertificate chain" },
    { path: podCertificate?.keyPath ?? "", source: "PodCertificate key" },
    { path: podCertificate?.credentialBundlePath ?? "", source: "PodCertificate credential bundle" },
  ];
  return certificate.filter(({ path }) => path !== "");
}

export function overlapWarnings(volumes: readonly core.Volume[]): string[] {
  const warnings: string[] = [];
  for (const { name = "", configMap, secret, downwardAPI, projected } of volumes) {
    const report = (what: string, paths: readonly SourcedPath[]): void => {
      for (const pair of pairs(paths)) warnings.push(`volume ${goQuote(name)} (${what}): overlapping paths: ${pair}`);
    };
    report(`ConfigMap ${goQuote(configMap?.name ?? "")}`, itemPaths(configMap?.items));
    report(`Secret ${goQuote(secret?.secretName ?? "")}`, itemPaths(secret?.items));
    report("DownwardAPI", itemPaths(downwardAPI?.items));
    for (const source of projected?.sources ?? []) {
      if (Object.keys(source).length === 0)
        warnings.push(`volume ${goQuote(name)} (Projected) has no sources provided`);
    }
    report("Projected", (projected?.sources ?? []).flatMap(projectedPaths));
  }
  return warnings;
}
