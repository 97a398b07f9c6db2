import { expect, it } from "vitest";
import { builtinResources } from "#api/resource-table.ts";
import { startTestServer } from "../testing.ts";
import { parseRuntimeConfig, servedResources } from "./runtime-config.ts";

const ALL = { isEnabled: () => true };
const NONE = { isEnabled: () => false };

const served = (flag: string, gates = NONE): string[] =>
  builtinResources()
    .filter(servedResources(parseRuntimeConfig(flag), gates))
    .map(({ group, version, resource }) => `${group}/${version}/${resource}`);

const added = (flag: string, gates = NONE): string[] => {
  const stable = new Set(served(""));
  return served(flag, gates).filter((name) => !stable.has(name));
};

it("serves the stable versions by default, whatever the gates", () => {
  expect(served("")).toEqual(served("", ALL));
  expect(served("").every((name) => /\/v\d+\//.test(name))).toBe(true);
});

it("machinery/7.1.r2 serves nine more kinds with all versions and gates on", () => {
  const kinds = (names: readonly string[]): Set<string> => new Set(names.map((name) => name.replace(/\/.*\//, "/")));
  const stable = kinds(served(""));
  expect([...kinds(added("api/all=true", ALL))].filter((kind) => !stable.has(kind)).sort()).toEqual([
    "certificates.k8s.io/clustertrustbundles",
    "certificates.k8s.io/podcertificaterequests",
    "coordination.k8s.io/leasecandidates",
    "internal.apiserver.k8s.io/storageversions",
    "resource.k8s.io/devicetaintrules",
    "resource.k8s.io/resourcepoolstatusrequests",
    "scheduling.k8s.io/podgroups",
    "scheduling.k8s.io/workloads",
    "storagemigration.k8s.io/storageversionmigrations",
  ]);
});

it("serves gated resources only with their gate", () => {
  const flag = "certificates.k8s.io/v1beta1=true";
  expect(added(flag)).toEqual([]);
  expect(added(flag, { isEnabled: (gate: string) => gate === "ClusterTrustBundle" } as never)).toEqual([
    "certificates.k8s.io/v1beta1/clustertrustbundles",
  ]);
});

it("prefers a resource over its version, a version over its stability, and stability over all", () => {
  expect(served("batch/v1=false")).not.toContain("batch/v1/jobs");
  expect(served("batch/v1=false,batch/v1/jobs=true").filter((name) => name.startsWith("batch/"))).toEqual([
    "batch/v1/jobs",
  ]);
  expect(served("api/all=false,/v1=true").every((name) => name.startsWith("/v1/"))).toBe(true);
  expect(added("api/all=true,api/alpha=false").some((name) => name.includes("alpha"))).toBe(false);
  expect(added("networking.k8s.io/v1beta1")).toEqual([
    "networking.k8s.io/v1beta1/ipaddresses",
    "networking.k8s.io/v1beta1/servicecidrs",
  ]);
});

it.each([
  ["api/all=false", "invalid runtime-config with only api/all=false"],
  ["api/beta=yes", "invalid value api/beta=yes"],
  ["v1=true", "runtime-config invalid key v1"],
  ["example.com/v1=true,a.example.com/v1=true", "unknown api groups a.example.com/v1,example.com/v1"],
  ["apps/v3=true", "group version apps/v3 that has not been registered"],
  ["apps/v1=on", 'invalid value of apps/v1: on, err: strconv.ParseBool: parsing "on": invalid syntax'],
  [
    "apps/v1/Deployments=true",
    'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
  ],
])("refuses %s", (flag, message) => {
  expect(() => servedResources(parseRuntimeConfig(flag), NONE)).toThrow(message);
});

it("shows the configured resources in discovery", async () => {
  const { bytes } = startTestServer({ runtimeConfig: { "batch/v1/cronjobs": "false", "apps/v1": "false" } });
  const { body } = await bytes.get("/apis/batch/v1");
  expect((body as { resources: { name: string }[] }).resources.map(({ name }) => name)).toEqual([
    "jobs",
    "jobs/status",
  ]);
  expect((await bytes.get("/apis/apps/v1")).status).toBe(404);
});
