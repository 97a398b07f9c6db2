// The component configuration as it counts: aliases resolved, lists split, leader migration filled in. This is what
// /configz shows and what controllers are built with.
// Upstream: cmd/kube-controller-manager/app/options/{options,nodeipamcontroller}.go, ApplyTo; controller-manager/options.

import { canonicalSelection } from "../controller-selection.ts";
import type { ComponentConfig, LeaderMigrationConfig } from "./config.ts";

export function appliedConfig(config: ComponentConfig, migration: LeaderMigrationConfig | undefined): ComponentConfig {
  const { Generic, NodeIPAMController } = config;
  // The flag takes both families in one list; the configuration keeps them apart.
  const [ServiceCIDR = "", SecondaryServiceCIDR = ""] = NodeIPAMController.ServiceCIDR.split(",");
  return {
    ...config,
    Generic: {
      ...Generic,
      Controllers: canonicalSelection(Generic.Controllers),
      ...(migration === undefined ? {} : { LeaderMigration: migration }),
    },
    NodeIPAMController: { ...NodeIPAMController, ServiceCIDR, SecondaryServiceCIDR },
  };
}
