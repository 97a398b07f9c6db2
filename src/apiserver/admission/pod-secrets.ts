// The secrets that a pod refers to, and whether its service account allows them.
// Upstream: plugin/pkg/admission/serviceaccount/admission.go, limitSecretReferences

import type { Container, Pod, ServiceAccount } from "#api/generated/types/core-v1.ts";
import { podSecretNames } from "#rules/pod-secrets.ts";

/** Why the account does not allow the pod: the first reference that it lacks. */
export function forbiddenSecret(pod: Pod, account: ServiceAccount): string | undefined {
  const accountName = account.metadata?.name;
  const mountable = new Set((account.secrets ?? []).map(({ name }) => name));
  const ending = `is not allowed because service account ${accountName} does not reference that secret`;
  for (const { secret } of pod.spec?.volumes ?? []) {
    if (secret && !mountable.has(secret.secretName)) {
      return `volume with secret.secretName="${secret.secretName ?? ""}" ${ending}`;
    }
  }
  const inContainers = (containers: readonly Container[] | undefined, label: string): string | undefined => {
    for (const { name: container, env = [], envFrom = [] } of containers ?? []) {
      for (const { name, valueFrom } of env) {
        const secret = valueFrom?.secretKeyRef?.name;
        if (secret !== undefined && !mountable.has(secret)) {
          return `${label} ${container} with envVar ${name} referencing secret.secretName="${secret}" ${ending}`;
        }
      }
      for (const { secretRef } of envFrom) {
        if (secretRef && !mountable.has(secretRef.name)) {
          return `${label} ${container} with envFrom referencing secret.secretName="${secretRef.name ?? ""}" ${ending}`;
        }
      }
    }
    return undefined;
  };
  const problem =
    inContainers(pod.spec?.initContainers, "init container") ?? inContainers(pod.spec?.containers, "container");
  if (problem !== undefined) return problem;
  const pullable = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const index = (pod.spec?.imagePullSecrets ?? []).findIndex(({ name }) => !pullable.has(name));
  if (index < 0) return undefined;
  const name = pod.spec?.imagePullSecrets?.[index]?.name ?? "";
  return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${accountName} does not reference that imagePullSecret`;
}

/** Why a mirror pod is refused because of secrets or tokens. */
export function mirrorPodSecret(pod: Pod): string | undefined {
  const spec = pod.spec ?? { containers: [] };
  if (podSecretNames(pod).size > 0) return "a mirror pod may not reference secrets";
  const hasToken = (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return hasToken ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}
