// Steps with Services, the pods behind them and their nodes, for the controllers of endpoints.

import { Namespaces, Nodes, Pods, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { PodSpec, ServiceSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { ObjectOf } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import { bind, podSpec, setPodStatus } from "./pods.ts";
import type { Stage } from "./stage.ts";

export type StoredSlice = ObjectOf<typeof EndpointSlices>;
type StoredService = ObjectOf<typeof Services>;

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const MIRRORING = "endpointslicemirroring-controller.k8s.io";
export const HEADLESS = "service.kubernetes.io/headless";

/** Creates a Service "web" for the pods with the label app: web, at port 80, unless the spec says otherwise. */
export function createService(stage: Stage, spec: ServiceSpec = {}, more: ObjectMeta = {}): Promise<StoredService> {
  return stage.of(Services).create({
    metadata: { ...more, name: more.name ?? "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec },
  });
}

interface NodeOptions {
  readonly zone?: string;
  readonly cpu?: string;
}

/** Creates a ready node and returns its name. */
export async function createNode(stage: Stage, base: string, { zone, cpu = "4" }: NodeOptions = {}): Promise<string> {
  const name = stage.name(base);
  const labels = zone === undefined ? {} : { "topology.kubernetes.io/zone": zone };
  await stage.of(Nodes).create({ metadata: { name, labels } });
  await setNodeReady(stage, name, true, cpu);
  return name;
}

export async function setNodeReady(stage: Stage, name: string, isReady: boolean, cpu = "4"): Promise<void> {
  const condition = { type: "Ready", status: isReady ? "True" : "False" };
  const status = { conditions: [condition], allocatable: { cpu } };
  await stage.of(Nodes).patch(name, { status }, { subresource: "status" });
}

interface PodOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
  readonly ips?: readonly string[];
  readonly isReady?: boolean;
  readonly readySinceMs?: number;
}

/** Creates a pod that runs on the node under this address, and is ready unless `isReady` is false. */
export async function createServingPod(
  stage: Stage,
  name: string,
  node: string,
  ip: string,
  { labels = { app: "web" }, spec = {}, ips = [ip], isReady = true, readySinceMs = stage.now() }: PodOptions = {},
): Promise<void> {
  await stage.of(Pods).create({ metadata: { name, labels }, spec: { ...podSpec, ...spec } });
  await bind(stage, name, node);
  await setPodStatus(stage, name, {
    phase: "Running",
    podIP: ip,
    podIPs: ips.map((each) => ({ ip: each })),
    conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: formatTime(readySinceMs) }],
  });
}

/** Waits until the predicate holds for the slices of the Service that mirror no Endpoints. */
export async function untilSlices(
  stage: Stage,
  holds: (slices: readonly StoredSlice[]) => boolean,
  service = "web",
): Promise<readonly StoredSlice[]> {
  const own = (slices: readonly StoredSlice[]): readonly StoredSlice[] =>
    slices.filter(({ metadata: { labels } }) => labels?.[SERVICE_NAME] === service && labels[MANAGED_BY] !== MIRRORING);
  return own(await stage.of(EndpointSlices).untilAll((slices) => holds(own(slices))));
}

/** Waits until the Service has one slice for which the predicate holds. */
export async function untilSlice(
  stage: Stage,
  holds: (slice: StoredSlice) => boolean = () => true,
  service = "web",
): Promise<StoredSlice> {
  const [slice] = await untilSlices(stage, (all) => all.length === 1 && all.every(holds), service);
  if (slice === undefined) throw new Error("there is no slice");
  return slice;
}

/** Sorted. */
export function addressesOf(...slices: readonly StoredSlice[]): readonly string[] {
  return slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)).toSorted();
}

export const hasAddresses =
  (...addresses: readonly string[]) =>
  (...slices: readonly StoredSlice[]): boolean =>
    addressesOf(...slices).join() === addresses.toSorted().join();

/** A Service starts to need endpoints in a namespace that is being deleted. Returns the namespace. */
export async function serveInEndingNamespace(stage: Stage): Promise<string> {
  const { name } = (await stage.of(Namespaces).create({ metadata: { name: stage.name("going") } })).metadata;
  const services = stage.of(Services, name);
  await services.create({
    metadata: { name: "web" },
    spec: {
      type: "ExternalName",
      externalName: "www.example.com",
      selector: { app: "web" },
      ports: [{ port: 80 }],
    },
  });
  await stage.settle();
  await stage.of(Namespaces).delete(name);
  await services.patch("web", { spec: { type: "ClusterIP", externalName: null } });
  await stage.untilRefused(1);
  await stage.settle();
  return name;
}
