// The Secrets that a pod refers to. Upstream: pkg/api/v1/pod/util.go, VisitPodSecretNames.

import type { Pod, Volume } from "#api/generated/types/core-v1.ts";

/** Each name once; references without a name are ignored. */
export function podSecretNames({ spec }: Pod): ReadonlySet<string> {
  const { imagePullSecrets = [], containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const ofContainers = [...initContainers, ...containers, ...ephemeralContainers].flatMap(
    ({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ],
  );
  const names = [
    ...imagePullSecrets.map(({ name }) => name),
    ...ofContainers,
    ...(spec?.volumes ?? []).flatMap(volumeSecretNames),
  ];
  return new Set(names.filter((name) => name !== undefined && name !== "") as readonly string[]);
}

function volumeSecretNames(volume: Volume): readonly (string | undefined)[] {
  const { secret, projected, azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = volume;
  return [
    secret?.secretName,
    azureFile?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef?.name),
    csi?.nodePublishSecretRef?.name,
  ];
}
