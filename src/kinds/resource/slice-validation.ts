// Validation of ResourceSlices.
// Upstream: pkg/apis/resource/validation/validation.go, validateResourceSliceSpec

import * as field from "#api/field-error.ts";
import type { Device, ResourcePool, ResourceSliceSpec } from "#api/generated/types/resource-v1.ts";
import { dnsSubdomain, type Errors, IMMUTABLE, type Path, positive } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { nodeSelector } from "#kinds/pod-spec/affinity.ts";
import { csiDriverName } from "#kinds/pod-spec/volume-sources.ts";
import { each, poolName } from "./device-checks.ts";
import { counterSetNamed, deviceOfSlice } from "./device-validation.ts";

const SPEC = field.newPath("spec");
const DEVICES_MAX = 128;
/** Limit for slices whose devices have taints, counters or lists of values. */
const COMPLEX_DEVICES_MAX = 64;
const COUNTER_SETS_MAX = 8;

export function sliceSpec(errors: Errors, spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined): void {
  csiDriverName(errors, spec.driver ?? "", SPEC.child("driver"));
  resourcePool(errors, spec.pool ?? { name: "", generation: 0, resourceSliceCount: 0 }, SPEC.child("pool"));
  if (old !== undefined) fixed(errors, spec, old);
  nodesOfSlice(errors, spec);
  const { devices, sharedCounters, perDeviceNodeSelection } = spec;
  if (sharedCounters !== undefined && devices !== undefined) {
    errors.push(field.invalid(SPEC, "", "only one of `sharedCounters` or `devices` is allowed"));
  }
  const before = new Map((old?.devices ?? []).toReversed().map((device) => [device.name ?? "", device]));
  each(
    errors,
    devices,
    (devices ?? []).some(isComplex) ? COMPLEX_DEVICES_MAX : DEVICES_MAX,
    SPEC.child("devices"),
    (device, path) => {
      deviceOfSlice(errors, device, before.get(device.name ?? ""), path, perDeviceNodeSelection === true);
    },
    ({ name = "" }) => name,
  );
  each(
    errors,
    sharedCounters,
    COUNTER_SETS_MAX,
    SPEC.child("sharedCounters"),
    ({ name, counters }, path) => counterSetNamed(errors, "name", name, counters, path),
    ({ name = "" }) => name,
  );
}

const isComplex = ({ taints = [], consumesCounters = [], attributes = {} }: Device): boolean =>
  taints.length > 0 ||
  consumesCounters.length > 0 ||
  Object.values(attributes).some(({ bools, ints, strings, versions }) => bools ?? ints ?? strings ?? versions);

function resourcePool(
  errors: Errors,
  { name = "", generation = 0, resourceSliceCount = 0 }: ResourcePool,
  path: Path,
): void {
  poolName(errors, name, path.child("name"));
  positive(errors, resourceSliceCount, path.child("resourceSliceCount"));
  if (generation < 0) {
    errors.push(field.invalid(path.child("generation"), generation, "must be greater than or equal to zero"));
  }
}

function fixed(errors: Errors, spec: ResourceSliceSpec, old: ResourceSliceSpec): void {
  const name = spec.pool?.name ?? "";
  if (name !== (old.pool?.name ?? "")) errors.push(field.invalid(SPEC.child("pool", "name"), name, IMMUTABLE));
  const driver = spec.driver ?? "";
  if (driver !== (old.driver ?? "")) errors.push(field.invalid(SPEC.child("driver"), driver, IMMUTABLE));
  if (spec.nodeName !== old.nodeName) {
    errors.push(field.invalid(SPEC.child("nodeName"), spec.nodeName ?? null, IMMUTABLE));
  }
}

const ONE_OF_NODES = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function nodesOfSlice(errors: Errors, { nodeName, nodeSelector: nodes, ...spec }: ResourceSliceSpec): void {
  const given: string[] = [];
  if (nodeName === "") {
    const detail = "must be either unset or set to a non-empty string";
    errors.push(field.invalid(SPEC.child("nodeName"), "", detail));
  } else if (nodeName !== undefined) {
    given.push("`nodeName`");
    dnsSubdomain(errors, nodeName, SPEC.child("nodeName"));
  }
  if (nodes !== undefined) {
    given.push("`nodeSelector`");
    const at = SPEC.child("nodeSelector");
    nodeSelector(errors, nodes, at, false);
    const terms = nodes.nodeSelectorTerms ?? [];
    if (terms.length !== 1) {
      const shown = nodes.nodeSelectorTerms ? terms : null;
      const printed = shown && terms.map((term) => internalForm("NodeSelectorTerm", term));
      const detail = "must have exactly one node selector term";
      errors.push(field.invalid(at.child("nodeSelectorTerms"), printed, detail));
    }
  }
  for (const part of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[part] === true) given.push(`\`${part}\``);
    else if (spec[part] === false) {
      errors.push(field.invalid(SPEC.child(part), false, "must be either unset or set to true"));
    }
  }
  if (given.length === 0) errors.push(field.required(SPEC, ONE_OF_NODES));
  else if (given.length > 1) {
    errors.push(field.invalid(SPEC, `{${given.join(", ")}}`, `${ONE_OF_NODES}, but multiple fields are set`));
  }
}
