// Objects around service accounts.

import { Secrets } from "#api/generated/resources/core-v1.ts";
import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Draft, Stored } from "#api/resource.ts";
import type { Scene } from "#test/stage/stage.ts";

export const BUNDLE = "kube-root-ca.crt";

export const account = (
  name: string,
  more: Partial<Draft<Stored<ServiceAccount>>> = {},
): Draft<Stored<ServiceAccount>> => ({
  metadata: { name },
  ...more,
});

export function tokenSecret(
  name: string,
  accountName: string,
  more: Partial<Draft<Stored<Secret>>> = {},
  accountUid = "",
): Draft<Stored<Secret>> {
  const uid = accountUid === "" ? {} : { "kubernetes.io/service-account.uid": accountUid };
  return {
    metadata: { name, annotations: { "kubernetes.io/service-account.name": accountName, ...uid } },
    type: "kubernetes.io/service-account-token",
    ...more,
  };
}

export const untilFilled = (stage: Scene, name: string): Promise<Stored<Secret>> =>
  stage.of(Secrets).until(name, ({ data }) => data?.token !== undefined);
