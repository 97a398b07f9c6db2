// Objects around service accounts.

import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stage } from "./stage.ts";
import { untilFound } from "./steps.ts";

export const accountsGvr = { group: "", version: "v1", resource: "serviceaccounts" };
export const configMapsGvr = { group: "", version: "v1", resource: "configmaps" };
export const secretsGvr = { group: "", version: "v1", resource: "secrets" };
export const BUNDLE = "kube-root-ca.crt";

export const account = (name: string, more: Partial<ServiceAccount> = {}): ServiceAccount => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name },
  ...more,
});

export function tokenSecret(name: string, accountName: string, more: Partial<Secret> = {}, accountUid = ""): Secret {
  const uid = accountUid === "" ? {} : { "kubernetes.io/service-account.uid": accountUid };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, annotations: { "kubernetes.io/service-account.name": accountName, ...uid } },
    type: "kubernetes.io/service-account-token",
    ...more,
  };
}

export const untilFilled = (stage: Stage, name: string): Promise<Secret> =>
  untilFound<Secret>(stage, secretsGvr, name, ({ data }) => data?.token !== undefined);
