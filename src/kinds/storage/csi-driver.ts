// CSI drivers. Upstream: pkg/registry/storage/csidriver/strategy.go; pkg/apis/storage/v1/defaults.go

import type * as storage from "#api/generated/types/storage-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, gated, inner, isEmpty, nil, type Rule, set } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

const defaults: Rule = inner(
  "spec",
  all(
    nil({
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      requiresRepublish: false,
    }),
    (spec) => (isEmpty(spec.volumeLifecycleModes) ? set(spec, "volumeLifecycleModes", ["Persistent"]) : spec),
    gated("SELinuxMountReadWriteOncePod", nil({ seLinuxMount: false })),
    gated("VolumeLimitScaling", nil({ preventPodSchedulingIfMissing: false })),
  ),
);

function csiDriverCells(driver: storage.CSIDriver, now: EpochMs): unknown[] {
  const { spec } = driver;
  return [
    nameOf(driver),
    spec?.attachRequired ?? true,
    spec?.podInfoOnMount ?? false,
    spec?.storageCapacity ?? false,
    spec?.tokenRequests === undefined ? "<unset>" : spec.tokenRequests.map(({ audience }) => audience).join(","),
    spec?.requiresRepublish ?? false,
    orNone((spec?.volumeLifecycleModes ?? []).join(",")),
    ageOf(driver, now),
  ];
}

export const csiDriver: SchemaOnlyKind<storage.CSIDriver> = {
  key: "csidrivers.storage.k8s.io",
  strategy: schemaOnly({ allowUnconditionalUpdate: false }),
  defaults,
  printer: printer(
    "Name|AttachRequired:boolean|PodInfoOnMount:boolean|StorageCapacity:boolean|TokenRequests|RequiresRepublish:boolean|Modes|Age",
    csiDriverCells,
  ),
  returnsDeletedObject: true,
};
