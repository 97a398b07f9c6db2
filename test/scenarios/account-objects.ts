// Objects around service accounts.

import { Secrets } from "#api/generated/resources/core-v1.ts";
import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Draft, Stored } from "#api/resource.ts";
import type { Stage } from "./stage.ts";
import { untilFound } from "./steps.ts";

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

export const untilFilled = (stage: Stage, name: string): Promise<Stored<Secret>> =>
  untilFound(stage, Secrets, name, ({ data }) => data?.token !== undefined);
