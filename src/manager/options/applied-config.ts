// The effective component configuration: aliases resolved, lists split, leader migration filled in. /configz shows it,
// and controllers are built with it.
// Upstream: cmd/kube-controller-manager/app/options/{options,nodeipamcontroller}.go, ApplyTo;
// controller-manager/options.

import { canonicalSelection } from "../controller-selection.ts";
import type { ComponentConfig, LeaderMigrationConfig } from "./config.ts";

export function appliedConfig(config: ComponentConfig, migration: LeaderMigrationConfig | undefined): ComponentConfig {
  const { Generic, NodeIPAMController } = config;
  // The flag takes both families in one list; the configuration has a field for each.
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
