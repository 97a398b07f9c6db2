// Defaults of volume sources and claim specs.
// Upstream: pkg/apis/core/v1/defaults.go and zz_generated.defaults.go

import { resources } from "#kinds/parts/default-quantities.ts";
import { all, at, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";

export const hostPath: Rule = nil({ type: "" });

export const rbd: Rule = zero({ pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" });

export const iscsi: Rule = zero({ iscsiInterface: "default" });

export const azureDisk: Rule = nil({ cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" });

export const scaleIO: Rule = zero({ storageMode: "ThinProvisioned", fsType: "xfs" });

export const persistentVolumeSource: Rule = all(
  at("hostPath", hostPath),
  at("rbd", rbd),
  at("iscsi", iscsi),
  at("azureDisk", azureDisk),
  at("scaleIO", scaleIO),
);

export const claimSpec: Rule = all(nil({ volumeMode: "Filesystem" }), at("resources", resources));
