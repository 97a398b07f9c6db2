// What requests of older versions are answered with. Upstream: k8s.io/api/*/*/zz_generated.prerelease-lifecycle.go

/** The 1.x minor releases that deprecate and remove a version, and the version to use instead. */
export type Lifecycle = readonly [deprecated: number, removed: number, replacement?: string];

/** By version, for `deprecationWarning`. */
export function deprecatedVersions(
  group: string,
  kind: string,
  lifecycles: Readonly<Record<string, Lifecycle>>,
): Readonly<Record<string, string>> {
  const warning = (version: string, [deprecated, removed, replacement]: Lifecycle): string => {
    const hint = replacement === undefined ? "" : `; use ${group}/${replacement} ${kind}`;
    return `${group}/${version} ${kind} is deprecated in v1.${deprecated}+, unavailable in v1.${removed}+${hint}`;
  };
  return Object.fromEntries(Object.entries(lifecycles).map(([version, each]) => [version, warning(version, each)]));
}
