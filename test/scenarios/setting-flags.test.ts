// The flags of controllers, from the command line to the controllers' options. The tests of each controller cover the
// effect of its options; worker-flags.test.ts covers the number of workers.

import { describe, expect, it } from "vitest";
import { checksumKeys } from "#apiserver/tokens/checksum-keys.ts";
import type { ControllerName } from "#kit/known-controllers.ts";
import { registeredControllers } from "#manager/registry.ts";
import { SimulatedHost } from "#sim/simulated-host.ts";
import { configOf } from "./command-line.ts";

const recycler = "kind: Pod\napiVersion: v1\nspec: {volumes: [{name: vol}], containers: [{name: c, image: i}]}\n";

function optionsOf(name: string, args: readonly string[]): unknown {
  const host = new SimulatedHost({ tokenKeys: checksumKeys("key") });
  host.write("/recycler.yaml", recycler);
  const controller = registeredControllers.find((one) => one.name === name);
  return controller?.options({ config: configOf(...args), host: { ...host, apiServerCa: "" } });
}

interface SettingFlag {
  readonly id: string;
  readonly flag: string;
  readonly controller: ControllerName;
  /** Its path in the options of the controller. */
  readonly option: string;
  /** Undefined if the option is an object that another test covers. */
  readonly usual: unknown;
  readonly given: unknown;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const lifecycle = "node-lifecycle-controller";
const ipam = "node-ipam-controller";
const binder = "persistentvolume-binder-controller";
const attach = "persistentvolume-attach-detach-controller";
const autoscaler = "horizontal-pod-autoscaler-controller";

const cases: readonly SettingFlag[] = [
  {
    id: "machinery/1.7.r24",
    flag: "--node-monitor-period=2s",
    controller: lifecycle,
    option: "monitorPeriodMs",
    usual: 5 * SECOND,
    given: 2 * SECOND,
  },
  {
    id: "machinery/1.7.r26",
    flag: "--cluster-cidr=10.0.0.0/8",
    controller: ipam,
    option: "clusterCidr",
    usual: "",
    given: "10.0.0.0/8",
  },
  {
    id: "machinery/1.7.r27",
    flag: "--allocate-node-cidrs",
    controller: ipam,
    option: "isEnabled",
    usual: false,
    given: true,
  },
  {
    id: "machinery/1.7.r63",
    flag: "--disable-attach-detach-reconcile-sync",
    controller: attach,
    option: "isVerifyDisabled",
    usual: false,
    given: true,
  },
  {
    id: "machinery/1.7.r64",
    flag: "--attach-detach-reconcile-sync-period=2m",
    controller: attach,
    option: "verifyPeriodMs",
    usual: 60_000,
    given: 120_000,
  },
  {
    id: "machinery/1.7.r65",
    flag: "--disable-force-detach-on-timeout",
    controller: attach,
    option: "isForceDetachDisabled",
    usual: false,
    given: true,
  },
  {
    id: "machinery/1.7.r71",
    flag: "--cluster-signing-duration=10h",
    controller: "certificatesigningrequest-signing-controller",
    option: "durationMs",
    usual: 8760 * HOUR,
    given: 10 * HOUR,
  },
  {
    id: "machinery/1.7.r78",
    flag: "--endpoint-updates-batch-period=2s",
    controller: "endpoints-controller",
    option: "batchPeriodMs",
    usual: 0,
    given: 2 * SECOND,
  },
  {
    id: "machinery/1.7.r80",
    flag: "--max-endpoints-per-slice=3",
    controller: "endpointslice-controller",
    option: "endpointsMax",
    usual: 100,
    given: 3,
  },
  {
    id: "machinery/1.7.r81",
    flag: "--endpointslice-updates-batch-period=2s",
    controller: "endpointslice-controller",
    option: "batchPeriodMs",
    usual: 0,
    given: 2 * SECOND,
  },
  {
    id: "machinery/1.7.r83",
    flag: "--mirroring-max-endpoints-per-subset=3",
    controller: "endpointslice-mirroring-controller",
    option: "endpointsMax",
    usual: 1000,
    given: 3,
  },
  {
    id: "machinery/1.7.r84",
    flag: "--mirroring-endpointslice-updates-batch-period=2s",
    controller: "endpointslice-mirroring-controller",
    option: "batchPeriodMs",
    usual: 0,
    given: 2 * SECOND,
  },
  {
    id: "machinery/1.7.r89",
    flag: "--horizontal-pod-autoscaler-sync-period=1s",
    controller: autoscaler,
    option: "syncPeriodMs",
    usual: 15_000,
    given: 1000,
  },
  {
    id: "machinery/1.7.r90",
    flag: "--horizontal-pod-autoscaler-downscale-stabilization=5s",
    controller: autoscaler,
    option: "downscaleWindowMs",
    usual: 300_000,
    given: 5000,
  },
  {
    id: "machinery/1.7.r91",
    flag: "--horizontal-pod-autoscaler-tolerance=0.2",
    controller: autoscaler,
    option: "tolerance",
    usual: 0.1,
    given: 0.2,
  },
  {
    id: "machinery/1.7.r92",
    flag: "--horizontal-pod-autoscaler-cpu-initialization-period=4s",
    controller: autoscaler,
    option: "cpuInitializationMs",
    usual: 300_000,
    given: 4000,
  },
  {
    id: "machinery/1.7.r93",
    flag: "--horizontal-pod-autoscaler-initial-readiness-delay=2s",
    controller: autoscaler,
    option: "initialReadinessMs",
    usual: 30_000,
    given: 2000,
  },
  {
    id: "machinery/1.7.r96",
    flag: "--legacy-service-account-token-clean-up-period=1h",
    controller: "legacy-serviceaccount-token-cleaner-controller",
    option: "period",
    usual: 8760n * 3600n * 1_000_000_000n,
    given: 3600n * 1_000_000_000n,
  },
  {
    id: "machinery/1.7.r97",
    flag: "--namespace-sync-period=10m",
    controller: "namespace-controller",
    option: "resyncPeriodMs",
    usual: 300_000,
    given: 600_000,
  },
  {
    id: "machinery/1.7.r99",
    flag: "--service-cluster-ip-range=10.0.0.0/24,fd00::/112",
    controller: ipam,
    option: "serviceCidrs",
    usual: ["", ""],
    given: ["10.0.0.0/24,fd00::/112", ""],
  },
  {
    id: "machinery/1.7.r100",
    flag: "--node-cidr-mask-size=28",
    controller: ipam,
    option: "maskSize",
    usual: 0,
    given: 28,
  },
  {
    id: "machinery/1.7.r101",
    flag: "--node-cidr-mask-size-ipv4=26",
    controller: ipam,
    option: "maskSizeV4",
    usual: 0,
    given: 26,
  },
  {
    id: "machinery/1.7.r102",
    flag: "--node-cidr-mask-size-ipv6=80",
    controller: ipam,
    option: "maskSizeV6",
    usual: 0,
    given: 80,
  },
  {
    id: "machinery/1.7.r103",
    flag: "--node-startup-grace-period=20s",
    controller: lifecycle,
    option: "grace.startupMs",
    usual: 60_000,
    given: 20_000,
  },
  {
    id: "machinery/1.7.r104",
    flag: "--node-monitor-grace-period=20s",
    controller: lifecycle,
    option: "grace.monitorMs",
    usual: 50_000,
    given: 20_000,
  },
  {
    id: "machinery/1.7.r105",
    flag: "--node-eviction-rate=0.5",
    controller: lifecycle,
    option: "rates.normalPerSecond",
    usual: 0.1,
    given: 0.5,
  },
  {
    id: "machinery/1.7.r106",
    flag: "--secondary-node-eviction-rate=0.25",
    controller: lifecycle,
    option: "rates.reducedPerSecond",
    usual: 0.01,
    given: 0.25,
  },
  {
    id: "machinery/1.7.r107",
    flag: "--large-cluster-size-threshold=4",
    controller: lifecycle,
    option: "rates.largeZoneSize",
    usual: 50,
    given: 4,
  },
  {
    id: "machinery/1.7.r108",
    flag: "--unhealthy-zone-threshold=0.5",
    controller: lifecycle,
    option: "unhealthyZoneThreshold",
    usual: 0.55,
    given: 0.5,
  },
  {
    id: "machinery/1.7.r109",
    flag: "--pvclaimbinder-sync-period=2s",
    controller: binder,
    option: "syncPeriodMs",
    usual: 15_000,
    given: 2000,
  },
  {
    id: "machinery/1.7.r110",
    flag: "--pv-recycler-pod-template-filepath-nfs=/recycler.yaml",
    controller: binder,
    option: "plugins.nfs.template.spec.containers.0.image",
    usual: undefined,
    given: "i",
  },
  {
    id: "machinery/1.7.r111",
    flag: "--pv-recycler-minimum-timeout-nfs=200",
    controller: binder,
    option: "plugins.nfs.minimumTimeoutSeconds",
    usual: 300,
    given: 200,
  },
  {
    id: "machinery/1.7.r112",
    flag: "--pv-recycler-increment-timeout-nfs=45",
    controller: binder,
    option: "plugins.nfs.timeoutIncrementSeconds",
    usual: 30,
    given: 45,
  },
  {
    id: "machinery/1.7.r113",
    flag: "--pv-recycler-pod-template-filepath-hostpath=/recycler.yaml",
    controller: binder,
    option: "plugins.hostPath.template.spec.containers.0.image",
    usual: undefined,
    given: "i",
  },
  {
    id: "machinery/1.7.r114",
    flag: "--pv-recycler-minimum-timeout-hostpath=45",
    controller: binder,
    option: "plugins.hostPath.minimumTimeoutSeconds",
    usual: 60,
    given: 45,
  },
  {
    id: "machinery/1.7.r115",
    flag: "--pv-recycler-timeout-increment-hostpath=45",
    controller: binder,
    option: "plugins.hostPath.timeoutIncrementSeconds",
    usual: 30,
    given: 45,
  },
  {
    id: "machinery/1.7.r116",
    flag: "--enable-hostpath-provisioner",
    controller: binder,
    option: "plugins.provisionsHostPaths",
    usual: false,
    given: true,
  },
  {
    id: "machinery/1.7.r117",
    flag: "--enable-dynamic-provisioning=false",
    controller: binder,
    option: "provisions",
    usual: true,
    given: false,
  },
  {
    id: "machinery/1.7.r119",
    flag: "--terminated-pod-gc-threshold=2",
    controller: "pod-garbage-collector-controller",
    option: "terminatedPodsMax",
    usual: 12_500,
    given: 2,
  },
  {
    id: "machinery/1.7.r122",
    flag: "--resource-quota-sync-period=10m",
    controller: "resourcequota-controller",
    option: "resyncPeriodMs",
    usual: 300_000,
    given: 600_000,
  },
];

const at = (options: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], options);

describe("flags of controllers", () => {
  it.each(cases)("$id $flag reaches $controller", ({ flag, controller, option, usual, given }) => {
    const [before, after] = [[], [flag]].map((args) => at(optionsOf(controller, args), option));
    if (usual !== undefined) expect(before).toEqual(usual);
    expect(after).toEqual(given);
    expect(after).not.toEqual(before);
  });
});
