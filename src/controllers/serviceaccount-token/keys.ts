// Keys include the UID: a name alone would confuse a deleted object with a new one of the same name.

import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";

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

export function accountKey({ metadata: { namespace, name, uid } }: Stored<ServiceAccount>): AccountKey {
  return { namespace, name, uid };
}

export function secretKey({ metadata }: Stored<Secret>): SecretKey {
  const { namespace, name, uid, annotations = {} } = metadata;
  const accountName = annotations[ACCOUNT_NAME_ANNOTATION] ?? "";
  return { namespace, name, uid, accountName, accountUid: annotations[ACCOUNT_UID_ANNOTATION] ?? "" };
}

export function accountKeyText({ namespace, name, uid }: AccountKey): string {
  return `${namespace}/${name} ${uid}`;
}

/** Annotations are user input: quoting keeps the parts of the key separate. */
export function secretKeyText(key: SecretKey): string {
  return `${accountKeyText(key)} of ${JSON.stringify([key.accountName, key.accountUid])}`;
}
