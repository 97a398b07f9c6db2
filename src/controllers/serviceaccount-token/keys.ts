// Keys say which incarnation is meant: a name alone would confuse a deleted object with its successor.

import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";

export const ACCOUNT_NAME_ANNOTATION = "kubernetes.io/service-account.name";
export const ACCOUNT_UID_ANNOTATION = "kubernetes.io/service-account.uid";

export interface AccountKey {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface SecretKey extends AccountKey {
  readonly accountName: string;
  readonly accountUid: string;
}

/** No part can contain a slash. */
export function accountQueueKey({ metadata: { namespace = "", name = "", uid = "" } = {} }: ServiceAccount): string {
  return [namespace, name, uid].join("/");
}

export function secretQueueKey({ metadata = {} }: Secret): string {
  const { namespace = "", name = "", uid = "", annotations = {} } = metadata;
  return [namespace, name, uid, annotations[ACCOUNT_NAME_ANNOTATION], annotations[ACCOUNT_UID_ANNOTATION]].join("/");
}

export function parseAccountKey(key: string): AccountKey {
  const [namespace = "", name = "", uid = ""] = key.split("/");
  return { namespace, name, uid };
}

export function parseSecretKey(key: string): SecretKey {
  const [namespace = "", name = "", uid = "", accountName = "", accountUid = ""] = key.split("/");
  return { namespace, name, uid, accountName, accountUid };
}
