// The version in which all API servers store a resource, and the condition that says whether they agree.
// Upstream: k8s.io/apiserver/pkg/storageversion, SetCommonEncodingVersion.

import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
} from "#api/generated/types/internal-v1alpha1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

const TYPE = "AllEncodingVersionsEqual";

/** The object with only these servers. */
export function withServers(
  object: StoredCluster<StorageVersion>,
  storageVersions: readonly ServerStorageVersion[],
  nowMs: EpochMs,
): StoredCluster<StorageVersion> {
  const { commonEncodingVersion: before, conditions = [], ...rest } = object.status ?? {};
  const [first] = storageVersions;
  const isAgreed = storageVersions.every(({ encodingVersion }) => encodingVersion === first?.encodingVersion);
  const common = isAgreed ? first?.encodingVersion : undefined;
  const word = common === undefined ? "Unset" : "Set";
  const { generation: observedGeneration } = object.metadata;
  const condition: StorageVersionCondition = {
    type: TYPE,
    status: common === undefined ? "False" : "True",
    ...(observedGeneration ? { observedGeneration } : {}),
    lastTransitionTime: formatTime(nowMs),
    reason: `CommonEncodingVersion${word}`,
    message: `Common encoding version ${word.toLowerCase()}`,
  };
  const isMoved = before !== undefined && common !== undefined && before !== common;
  const status = {
    ...rest,
    storageVersions,
    ...(common === undefined ? {} : { commonEncodingVersion: common }),
    conditions: replaced(conditions, condition, isMoved),
  };
  return { ...object, status };
}

/** Replaces the condition. The transition time stays unless the status or the common version changes. */
function replaced(
  conditions: readonly StorageVersionCondition[],
  condition: StorageVersionCondition,
  isMoved: boolean,
): readonly StorageVersionCondition[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const known = conditions[index];
  if (known === undefined) return [...conditions, condition];
  const keepsTime = known.status === condition.status && !isMoved && known.lastTransitionTime !== undefined;
  return conditions.with(index, keepsTime ? { ...condition, lastTransitionTime: known.lastTransitionTime } : condition);
}
