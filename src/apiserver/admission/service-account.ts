// Sets the service account of pods, by default "default". The account must exist and provides pull secrets. A volume
// with its token, the cluster's CA and the namespace is mounted.
// Upstream: plugin/pkg/admission/serviceaccount/admission.go

import type { Container, Pod, PodSpec, ServiceAccount, Volume, VolumeMount } from "#api/generated/types/core-v1.ts";
import { generateName } from "#api/names.ts";
import { newNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { Rng } from "#base/rng.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";
import { forbiddenSecret, mirrorPodSecret } from "./pod-secrets.ts";

const DEFAULT_ACCOUNT = "default";
const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const VOLUME_PREFIX = "kube-api-access-";
const MIRROR_POD = "kubernetes.io/config.mirror";
const ENFORCE_MOUNTABLE = "kubernetes.io/enforce-mountable-secrets";
/** An hour and seven seconds: long enough to be renewed in time, and recognizable. */
const TOKEN_SECONDS = 3607;
/** A controller creates the default account of a new namespace, so its absence is retried for a moment. */
const DEFAULT_ACCOUNT_TRIES = 10;

export function serviceAccount(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    handles: ({ resource, subresource, operation }) =>
      resource.group === "" && resource.resource === "pods" && subresource === "" && operation === "CREATE",
    async admit(attributes, signal) {
      const pod = attributes.object as Pod;
      if (isMirror(pod)) return refuseForMirrorPod(pod, attributes);
      const name = pod.spec?.serviceAccountName || DEFAULT_ACCOUNT;
      const account = await findAccount(core(), attributes, name, signal);
      attributes.object = withAccount(pod, name, account, core().rng.names);
    },
    async validate(attributes, signal) {
      const pod = attributes.object as Pod;
      if (isMirror(pod)) return refuseForMirrorPod(pod, attributes);
      const name = pod.spec?.serviceAccountName ?? "";
      if (name === "") {
        const shown = `${attributes.namespace}/${pod.metadata?.name ?? ""}`;
        throw admissionForbidden(attributes, `no service account specified for pod ${shown}`);
      }
      const account = await findAccount(core(), attributes, name, signal);
      if (!/^(1|t|T|TRUE|true|True)$/.test(account.metadata?.annotations?.[ENFORCE_MOUNTABLE] ?? "")) return;
      const problem = forbiddenSecret(pod, account);
      if (problem !== undefined) throw admissionForbidden(attributes, problem);
    },
  };
}

const isMirror = (pod: Pod): boolean => pod.metadata?.annotations?.[MIRROR_POD] !== undefined;

/** A mirror pod describes a static pod of a kubelet, so it must not get permissions from the API. */
function refuseForMirrorPod(pod: Pod, attributes: AdmissionAttributes): void {
  if (pod.spec?.serviceAccountName) {
    throw admissionForbidden(attributes, "a mirror pod may not reference service accounts");
  }
  const problem = mirrorPodSecret(pod);
  if (problem !== undefined) throw admissionForbidden(attributes, problem);
}

async function findAccount(
  core: ServerCore,
  attributes: AdmissionAttributes,
  name: string,
  signal: AbortSignal,
): Promise<ServiceAccount> {
  const { namespace } = attributes;
  const row = core.registry.row("serviceaccounts");
  const tries = name === DEFAULT_ACCOUNT ? DEFAULT_ACCOUNT_TRIES : 1;
  const pauseMs = 100 + core.rng.names.below(100);
  for (let attempt = 1; ; attempt++) {
    const found = row && core.tableOf(row).get(`${namespace}/${name}`)?.object;
    if (found !== undefined) return found as ServiceAccount;
    if (attempt >= tries) break;
    await core.clock.sleep(pauseMs, signal);
  }
  const cause = errorMessage(newNotFound({ group: "", resource: "serviceaccount" }, name));
  throw admissionForbidden(attributes, `error looking up service account ${namespace}/${name}: ${cause}`);
}

function withAccount(pod: Pod, name: string, account: ServiceAccount, rng: Rng): Pod {
  const spec: PodSpec = pod.spec ?? { containers: [] };
  const wantsToken = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  const pullSecrets = spec.imagePullSecrets?.length ? undefined : account.imagePullSecrets;
  const named: PodSpec = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(pullSecrets?.length
      ? { imagePullSecrets: pullSecrets.map(({ name: secret }) => ({ name: secret ?? "" })) }
      : {}),
  };
  return { ...pod, spec: wantsToken ? withTokenMounted(named, rng) : named };
}

/** A container with another mount at the path is left unchanged. */
function withTokenMounted(spec: PodSpec, rng: Rng): PodSpec {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(VOLUME_PREFIX));
  const volumeName = existing?.name ?? generateName(rng, VOLUME_PREFIX);
  const mount: VolumeMount = { name: volumeName, readOnly: true, mountPath: MOUNT_PATH };
  let isNeeded = false;
  const mounted = (container: Container): Container => {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH)) return container;
    isNeeded = true;
    return { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
  };
  const containers = (spec.containers ?? []).map(mounted);
  const initContainers = spec.initContainers?.map(mounted);
  const volumes =
    isNeeded && existing === undefined
      ? [...(spec.volumes ?? []), { name: volumeName, ...TOKEN_SOURCES }]
      : spec.volumes;
  return {
    ...spec,
    containers,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(volumes === undefined ? {} : { volumes }),
  };
}

/** Shared by all pods. */
const TOKEN_SOURCES: Pick<Volume, "projected"> = {
  projected: {
    defaultMode: 0o644,
    sources: [
      { serviceAccountToken: { path: "token", expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
  },
};
