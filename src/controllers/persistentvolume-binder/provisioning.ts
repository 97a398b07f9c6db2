// Provisions a volume for a claim without a matching one: annotations request it from external provisioners, host paths
// are created here.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller.go, provisionClaim and its operations.

import { PersistentVolumeClaims } from "#api/generated/resources/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { objectKey } from "#api/object.ts";
import type { Draft, StoredCluster } from "#api/resource.ts";
import { isAlreadyExists, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import {
  annotated,
  BOUND_BY_CONTROLLER,
  IN_TREE_FINALIZER,
  PROVISIONED_BY,
  PROVISIONER,
  PROVISIONER_BETA,
  SELECTED_NODE,
} from "#families/volumes/binding-annotations.ts";
import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import { driverOfPlugin } from "#families/volumes/migration.ts";
import { timed } from "#families/volumes/operation-metrics.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { classOfClaim } from "#rules/storage-classes.ts";
import type { Deps } from "./deps.ts";
import { provisionHostPath } from "./host-path.ts";
import { markedClaim } from "./migration-marks.ts";
import { provisionerNamed, type VolumePlugin } from "./plugins.ts";
import { deleteStorage } from "./reclaim.ts";
import { claimEvent, putClaim } from "./writes.ts";

const TRIES_MAX = 5;
const TRY_INTERVAL_MS = 10_000;

/** Starts the operation, if provisioning is enabled. A later sync finds the result. */
export function provision(claim: Claim, deps: Deps): void {
  if (!deps.provisions) return;
  const key = objectKey(claim);
  const found = findProvisioner(classOfClaim(claim), deps);
  if (typeof found === "string") {
    claimEvent(claim, "Warning", "ProvisioningFailed", found, deps);
    return;
  }
  const { plugin, storageClass } = found;
  const { times } = deps.metrics;
  deps.operations.start(`provision-${key}[${claim.metadata.uid}]`, async (signal) => {
    times.begin(key, plugin?.name ?? externalName(storageClass), "provision");
    try {
      if (plugin === undefined) await askExternal(claim, externalName(storageClass), deps, signal);
      else await provisionHere(claim, plugin, storageClass, deps, signal);
    } catch (error) {
      times.fail(key);
      throw error;
    }
  });
}

/** The class, and the plugin that provisions it here; undefined: an external provisioner does. */
function findProvisioner(
  className: string,
  deps: Deps,
): { readonly plugin: VolumePlugin | undefined; readonly storageClass: StoredCluster<StorageClass> } | string {
  const storageClass = deps.classes.lister.get(className);
  if (storageClass === undefined) return `storageclass.storage.k8s.io ${goQuote(className)} not found`;
  const { provisioner } = storageClass;
  if (driverOfPlugin(provisioner) !== undefined) return { plugin: undefined, storageClass };
  const plugin = provisionerNamed(provisioner);
  if (typeof plugin !== "string") return { plugin, storageClass };
  return provisioner.startsWith("kubernetes.io/") ? plugin : { plugin: undefined, storageClass };
}

function externalName({ provisioner }: StorageClass): string {
  return driverOfPlugin(provisioner) ?? provisioner;
}

async function askExternal(claim: Claim, provisioner: string, deps: Deps, signal: AbortSignal): Promise<void> {
  let asked: Claim;
  try {
    asked = await nameProvisioner(claim, provisioner, deps, signal);
  } catch (error) {
    if (!signal.aborted) {
      claimEvent(claim, "Warning", "ProvisioningFailed", `Error saving claim: ${errorMessage(error)}`, deps);
    }
    throw error;
  }
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  claimEvent(asked, "Normal", "ExternalProvisioning", message, deps);
}

async function nameProvisioner(claim: Claim, provisioner: string, deps: Deps, signal: AbortSignal): Promise<Claim> {
  if (claim.metadata.annotations?.[PROVISIONER] === provisioner) return claim;
  const named = annotated(claim, { [PROVISIONER_BETA]: provisioner, [PROVISIONER]: provisioner });
  return await putClaim(markedClaim(named), deps, signal);
}

async function provisionHere(
  unnamed: Claim,
  plugin: VolumePlugin,
  storageClass: StoredCluster<StorageClass>,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  if (unnamed.spec?.dataSource !== undefined) {
    const what = `plugin ${goQuote(plugin.name)} is not a CSI plugin`;
    throw refused(unnamed, `${what}. Only CSI plugin can provision a claim with a datasource`, deps);
  }
  const claim = await nameProvisioner(unnamed, storageClass.provisioner, deps, signal);
  const name = `pvc-${claim.metadata.uid}`;
  if (await exists(name, deps, signal)) return;
  refuseSettings(claim, plugin, storageClass, deps);
  const storage = await makeStorage(claim, plugin, storageClass, deps, signal);
  const volume = ownedVolume({ ...storage, metadata: { ...storage.metadata, name } }, claim, plugin);
  const problem = await createVolume(volume, deps, signal);
  if (problem === undefined) {
    const message = `Successfully provisioned volume ${name} using ${plugin.name}`;
    claimEvent(claim, "Normal", "ProvisioningSucceeded", message, deps);
  } else await abandonStorage(volume, claim, plugin, problem, deps, signal);
}

async function exists(name: string, deps: Deps, signal: AbortSignal): Promise<boolean> {
  try {
    await deps.volumesApi.get({ name }, signal);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Throws, after an event, when the plugin does not support the settings of the class or the claim. */
function refuseSettings(
  claim: Claim,
  plugin: VolumePlugin,
  storageClass: StoredCluster<StorageClass>,
  deps: Deps,
): void {
  const { name } = storageClass.metadata;
  const { mountOptions = [] } = storageClass;
  if (mountOptions.length > 0) {
    const what = "Mount options are not supported by the provisioner";
    throw refused(
      claim,
      `${what} but StorageClass ${goQuote(name)} has mount options [${mountOptions.join(" ")}]`,
      deps,
    );
  }
  if (!deps.plugins.provisionsHostPaths) {
    const problem = `provisioning in volume plugin ${goQuote(plugin.name)} is disabled`;
    throw refused(claim, `Failed to create provisioner: ${problem}`, deps);
  }
  const node = claim.metadata.annotations?.[SELECTED_NODE];
  if (node !== undefined && deps.nodes.lister.get(node) === undefined) {
    throw refused(claim, `Failed to get target node: node ${goQuote(node)} not found`, deps);
  }
}

function refused(claim: Claim, message: string, deps: Deps): Error {
  claimEvent(claim, "Warning", "ProvisioningFailed", message, deps);
  return new Error(message);
}

async function makeStorage(
  claim: Claim,
  plugin: VolumePlugin,
  storageClass: StoredCluster<StorageClass>,
  deps: Deps,
  signal: AbortSignal,
): Promise<ReturnType<typeof provisionHostPath>> {
  const what = { plugin: plugin.name, operation: "volume_provision" };
  try {
    return await timed(what, deps.metrics.operations, deps.clock, () => provisionHostPath(claim, storageClass, deps));
  } catch (error) {
    await askSchedulerAgain(claim, deps, signal);
    const { name } = storageClass.metadata;
    const message = `Failed to provision volume with StorageClass ${goQuote(name)}: ${errorMessage(error)}`;
    throw refused(claim, message, deps);
  }
}

/** Without the annotation the scheduler chooses a node again. */
async function askSchedulerAgain(claim: Claim, deps: Deps, signal: AbortSignal): Promise<void> {
  const { [SELECTED_NODE]: node, ...annotations } = claim.metadata.annotations ?? {};
  if (node === undefined) return;
  try {
    await putClaim({ ...claim, metadata: { ...claim.metadata, annotations } }, deps, signal);
  } catch (error) {
    const values = { PVC: objectKey(claim), err: errorMessage(error) };
    deps.log.v(4).info("Failed to delete the annotation of the selected node", values);
  }
}

function ownedVolume({ metadata, spec }: Draft<Volume>, claim: Claim, plugin: VolumePlugin): Draft<Volume> {
  const isDeleted = spec?.persistentVolumeReclaimPolicy === "Delete";
  return {
    metadata: {
      ...metadata,
      annotations: { ...metadata?.annotations, [BOUND_BY_CONTROLLER]: "yes", [PROVISIONED_BY]: plugin.name },
      ...(isDeleted ? { finalizers: [IN_TREE_FINALIZER] } : {}),
    },
    spec: {
      ...spec,
      claimRef: referenceTo(claim, PersistentVolumeClaims),
      storageClassName: classOfClaim(claim),
    },
    status: { phase: "Bound" },
  } as Draft<Volume>;
}

/** Why the volume could not be created, after several tries. */
async function createVolume(object: Draft<Volume>, deps: Deps, signal: AbortSignal): Promise<string | undefined> {
  let problem: string | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      deps.knownVolumes.store(await deps.volumesApi.create({ object }, signal));
      return undefined;
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      problem = errorMessage(error);
      await deps.clock.sleep(TRY_INTERVAL_MS, signal);
    }
  }
  return problem;
}

/** Storage without a volume object is useless. */
async function abandonStorage(
  volume: Draft<Volume>,
  claim: Claim,
  plugin: VolumePlugin,
  problem: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const key = objectKey(claim);
  const eventMessage = `Error creating provisioned PV object for claim ${key}: ${problem}. Deleting the volume.`;
  claimEvent(claim, "Warning", "ProvisioningFailed", eventMessage, deps);
  let failure = "";
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      await deleteStorage(volume as Volume, plugin, deps, signal);
      return;
    } catch (error) {
      failure = errorMessage(error);
      await deps.clock.sleep(TRY_INTERVAL_MS, signal);
    }
  }
  const message = `Error cleaning provisioned volume for claim ${key}: ${failure}. Please delete manually.`;
  claimEvent(claim, "Warning", "ProvisioningCleanupFailed", message, deps);
}
