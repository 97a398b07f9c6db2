// Keys say which incarnation is meant: a name alone would confuse a deleted object with its successor.

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

export function accountQueueKey({ metadata: { namespace, name, uid } }: Stored<ServiceAccount>): string {
  return [namespace, name, uid].join("/");
}

export function secretQueueKey({ metadata }: Stored<Secret>): string {
  const { namespace, name, uid, annotations = {} } = metadata;
  const account = [annotations[ACCOUNT_NAME_ANNOTATION] ?? "", annotations[ACCOUNT_UID_ANNOTATION] ?? ""];
  return [namespace, name, uid, ...account.map(escaped)].join("/");
}

/** Annotations are the users' own words and may contain slashes; the parts of an identity cannot. */
const escaped = (text: string): string => text.replaceAll("%", "%25").replaceAll("/", "%2F");
const plain = (text: string): string => text.replaceAll("%2F", "/").replaceAll("%25", "%");

export function parseAccountKey(key: string): AccountKey {
  const [namespace = "", name = "", uid = ""] = key.split("/");
  return { namespace, name, uid };
}

export function parseSecretKey(key: string): SecretKey {
  const [namespace = "", name = "", uid = "", accountName = "", accountUid = ""] = key.split("/");
  return { namespace, name, uid, accountName: plain(accountName), accountUid: plain(accountUid) };
}
