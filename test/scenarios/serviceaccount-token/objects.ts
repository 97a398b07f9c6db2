// Token secrets.

import { Secrets } from "#api/generated/resources/core-v1.ts";
import type { Draft, ObjectOf } from "#api/resource.ts";
import type { Stage } from "#test/stage/stage.ts";

export type StoredSecret = ObjectOf<typeof Secrets>;

const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";

/** A secret that requests a token of the account. */
export function tokenSecret(name: string, account: string, accountUid?: string): Draft<StoredSecret> {
  const annotations = { [NAME]: account, ...(accountUid === undefined ? {} : { [UID]: accountUid }) };
  return { metadata: { name, annotations }, type: "kubernetes.io/service-account-token" };
}

export function untilFilled(stage: Stage, name: string): Promise<StoredSecret> {
  return stage.of(Secrets).until(name, ({ data }) => data?.token !== undefined);
}
