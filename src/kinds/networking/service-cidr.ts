// Strategies of IP addresses and service CIDRs.
// Upstream: pkg/registry/networking/{ipaddress,servicecidr}/strategy.go

import type * as networking from "#api/generated/types/networking-v1.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import {
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrStatusUpdate,
  validateServiceCidrUpdate,
} from "./ip-address.ts";

export const ipAddressStrategy: KindStrategy<networking.IPAddress> = {
  namespaced: false,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: (address) => address,
  validate: validateIpAddress,
  prepareForUpdate: (address) => address,
  validateUpdate: validateIpAddressUpdate,
  subresources: {},
};

export const serviceCidrStrategy: KindStrategy<networking.ServiceCIDR> = {
  namespaced: false,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate: (range, { gates }) => (gates.isEnabled(WIPING) ? { ...range, status: {} } : range),
  validate: validateServiceCidr,
  prepareForUpdate: (range, old, { gates }) => (gates.isEnabled(WIPING) ? put(range, "status", old.status) : range),
  validateUpdate: validateServiceCidrUpdate,
  subresources: {
    status: {
      prepareForUpdate: (range, old) => ({
        ...put(range, "spec", old.spec),
        metadata: resetMetaForStatus(range.metadata, old.metadata),
      }),
      validateUpdate: validateServiceCidrStatusUpdate,
      resetFields: [["metadata"], ["spec"]],
    },
  },
};

/** Before it the status could be written with the rest. */
const WIPING = "ServiceCIDRStatusFieldWiping";
