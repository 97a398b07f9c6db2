// Which built-in resources the server serves: stable versions, unless --runtime-config changes that, without resources
// whose feature gate is off. Upstream: k8s.io/apiserver/pkg/server/resourceconfig, pkg/registry/*/rest

import { type BuiltinResource, builtinGroups } from "#api/resource-table.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";

/** By key: "api/all", "<group>/<version>" or "<group>/<version>/<resource>". */
export type RuntimeConfig = Readonly<Record<string, string>>;

export class RuntimeConfigError extends Error {
  override readonly name = "RuntimeConfigError";
}

/** The flag's format: "api/beta=true,batch/v1/cronjobs=false". Later keys win. */
export function parseRuntimeConfig(text: string): RuntimeConfig {
  const pairs = text
    .split(",")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [key = "", ...value] = pair.split("=");
      return [key.trim(), value.join("=").trim()];
    });
  return Object.fromEntries(pairs);
}

/** In order of precedence: a later entry overrides an earlier one. */
const STABILITIES: readonly (readonly [key: string, pattern: RegExp])[] = [
  ["api/all", /^/],
  ["api/ga", /^v\d+$/],
  ["api/beta", /^v\d+beta\d+$/],
  ["api/alpha", /^v\d+alpha\d+$/],
];

/** Versions that upstream knows but of which it serves no resources. The flag may name them. */
const EMPTY_VERSIONS: ReadonlySet<string> = new Set([
  "apps/v1beta1",
  "apps/v1beta2",
  "authentication.k8s.io/v1alpha1",
  "authentication.k8s.io/v1beta1",
  "authorization.k8s.io/v1beta1",
  "batch/v1beta1",
  "discovery.k8s.io/v1beta1",
  "events.k8s.io/v1beta1",
  "extensions/v1beta1",
  "flowcontrol.apiserver.k8s.io/v1beta1",
  "flowcontrol.apiserver.k8s.io/v1beta2",
  "flowcontrol.apiserver.k8s.io/v1beta3",
  "imagepolicy.k8s.io/v1alpha1",
  "node.k8s.io/v1alpha1",
  "node.k8s.io/v1beta1",
  "policy/v1beta1",
  "rbac.authorization.k8s.io/v1alpha1",
  "rbac.authorization.k8s.io/v1beta1",
  "scheduling.k8s.io/v1beta1",
  "storage.k8s.io/v1alpha1",
  "apiextensions.k8s.io/v1beta1",
  "apiregistration.k8s.io/v1beta1",
]);

/** Alpha and beta resources that are served only if their gate is on. */
const GATES: Readonly<Record<string, string>> = {
  "certificates.k8s.io/clustertrustbundles": "ClusterTrustBundle",
  "certificates.k8s.io/podcertificaterequests": "PodCertificateRequest",
  "scheduling.k8s.io/podgroups": "GenericWorkload",
  "scheduling.k8s.io/workloads": "GenericWorkload",
  "storagemigration.k8s.io/storageversionmigrations": "StorageVersionMigrator",
};

/** Throws a RuntimeConfigError for an invalid value. */
export function servedResources(
  config: RuntimeConfig,
  gates: FeatureGateReader,
): (resource: BuiltinResource) => boolean {
  checkKeys(config);
  const stabilities = STABILITIES.flatMap(([key, pattern]) => {
    const value = config[key];
    if (value === undefined) return [];
    if (value !== "true" && value !== "false") throw new RuntimeConfigError(`invalid value ${key}=${value}`);
    return [{ pattern, isOn: value === "true" }];
  });
  const named = new Map(namedKeys(config).map((key) => [key, booleanOf(key, config[key] ?? "")]));
  return ({ group, version, resource, servedByDefault }) => {
    const gate = GATES[`${group}/${resource}`];
    if (gate !== undefined && !gates.isEnabled(gate)) return false;
    const groupVersion = `${group}/${version}`;
    const byResource = named.get(`${groupVersion}/${resource}`);
    if (byResource !== undefined) return byResource;
    return (
      named.get(groupVersion) ?? stabilities.findLast(({ pattern }) => pattern.test(version))?.isOn ?? servedByDefault
    );
  };
}

const namedKeys = (config: RuntimeConfig): string[] =>
  Object.keys(config)
    .filter((key) => !STABILITIES.some(([stability]) => stability === key))
    .sort();

function checkKeys(config: RuntimeConfig): void {
  if (config["api/all"] === "false" && Object.keys(config).length === 1)
    throw new RuntimeConfigError("invalid runtime-config with only api/all=false");
  const versions = new Set([...EMPTY_VERSIONS, ...builtinGroups().flatMap(groupVersionsOf)]);
  const groups = new Set(Array.from(versions, (groupVersion) => groupVersion.split("/")[0]));
  const unknown = new Set<string>();
  for (const key of namedKeys(config)) {
    const [group = "", version = "", resource = "", ...more] = key.split("/");
    if (!key.includes("/") || more.length > 0) throw new RuntimeConfigError(`runtime-config invalid key ${key}`);
    if (!groups.has(group)) unknown.add(`${group}/${version}`);
    else if (!versions.has(`${group}/${version}`))
      throw new RuntimeConfigError(`group version ${group}/${version} that has not been registered`);
    if (resource !== resource.toLowerCase()) {
      const rule = "group/version/resource and resource is always lowercase plural, not";
      throw new RuntimeConfigError(`invalid key ${key}: ${rule} "${resource}"`);
    }
  }
  if (unknown.size > 0) throw new RuntimeConfigError(`unknown api groups ${[...unknown].join(",")}`);
}

/** The core group yields "/v1", which upstream's flag accepts too. */
const groupVersionsOf = ({ group, versions }: { group: string; versions: readonly string[] }): string[] =>
  versions.map((version) => `${group}/${version}`);

/** Upstream: strconv.ParseBool. A key without a value is true. */
function booleanOf(key: string, value: string): boolean {
  if (value === "" || /^(1|t|T|TRUE|true|True)$/.test(value)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(value)) return false;
  const why = `strconv.ParseBool: parsing "${value}": invalid syntax`;
  throw new RuntimeConfigError(`invalid value of ${key}: ${value}, err: ${why}`);
}
