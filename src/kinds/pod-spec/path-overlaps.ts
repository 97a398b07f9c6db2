// Warnings about files of one volume that overlap.
// Upstream: pkg/api/pod/warnings.go, warningsForOverlappingVirtualPaths

import type * as core from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";

interface SourcedPath {
  readonly path: string;
  readonly source: string;
  /** Printed after the source, if it has a name. */
  readonly name?: string;
}

function printed({ path, source, name }: SourcedPath): string {
  if (source === "") return goQuote(path);
  return `${goQuote(path)} (${source}${name === undefined ? "" : ` ${goQuote(name)}`})`;
}

const overlaps = (a: SourcedPath, b: SourcedPath): boolean =>
  a.path !== "" && b.path !== "" && (isWithin(a.path, b.path) || isWithin(b.path, a.path));

const isWithin = (path: string, directory: string): boolean =>
  path.startsWith(directory) && (path.length === directory.length || path[directory.length] === "/");

const trimmed = (sourced: SourcedPath): SourcedPath =>
  sourced.path.endsWith("/") ? { ...sourced, path: sourced.path.replace(/\/+$/, "") } : sourced;

function pairs(given: readonly SourcedPath[]): string[] {
  const paths = given.map(trimmed);
  const found: string[] = [];
  paths.forEach((path, i) => {
    for (let j = 0; j < i; j++) {
      const other = paths[j] as SourcedPath;
      if (overlaps(path, other)) found.push(`${printed(path)} with ${printed(other)}`);
    }
  });
  return found;
}

type Items = readonly { readonly path?: string }[];

function projectedPaths(source: core.VolumeProjection): SourcedPath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const items = (list: Items, kind: string, name?: string): SourcedPath[] =>
    list.map(({ path = "" }) => ({ path, source: kind, ...(name === undefined ? {} : { name }) }));
  if (configMap?.items) return items(configMap.items, "ConfigMap", configMap.name ?? "");
  if (secret?.items) return items(secret.items, "Secret", secret.name ?? "");
  if (downwardAPI?.items) return items(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return [{ path: serviceAccountToken.path ?? "", source: "ServiceAccountToken" }];
  if (clusterTrustBundle) {
    const { name, signerName, path = "" } = clusterTrustBundle;
    return [{ path, source: "ClusterTrustBundle", name: name ?? signerName ?? "" }];
  }
  if (!podCertificate) return [];
  const certificate = [
    { path: podCertificate.certificateChainPath ?? "", source: "PodCertificate chain" },
    { path: podCertificate.keyPath ?? "", source: "PodCertificate key" },
    { path: podCertificate.credentialBundlePath ?? "", source: "PodCertificate credential bundle" },
  ];
  return certificate.filter(({ path }) => path !== "");
}

export function overlapWarnings(volumes: readonly core.Volume[]): string[] {
  const warnings: string[] = [];
  for (const volume of volumes) ofVolume(warnings, volume);
  return warnings;
}

function ofVolume(warnings: string[], { name = "", configMap, secret, downwardAPI, projected }: core.Volume): void {
  const report = (what: string, paths: readonly SourcedPath[]): void => {
    for (const pair of pairs(paths)) warnings.push(`volume ${goQuote(name)} (${what}): overlapping paths: ${pair}`);
  };
  const reportItems = (items: Items | undefined, kind: string, source?: string): void => {
    if (items === undefined || items.length < 2) return;
    const paths = items.map(({ path = "" }) => ({ path, source: "" }));
    report(source === undefined ? kind : `${kind} ${goQuote(source)}`, paths);
  };
  reportItems(configMap?.items, "ConfigMap", configMap?.name ?? "");
  reportItems(secret?.items, "Secret", secret?.secretName ?? "");
  reportItems(downwardAPI?.items, "DownwardAPI");
  if (!projected?.sources) return;
  for (const source of projected.sources) {
    if (isEmpty(source)) warnings.push(`volume ${goQuote(name)} (Projected) has no sources provided`);
  }
  report("Projected", projected.sources.flatMap(projectedPaths));
}

function isEmpty(source: core.VolumeProjection): boolean {
  for (const _ in source) return false;
  return true;
}
