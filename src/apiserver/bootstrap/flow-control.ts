// The bootstrap flow schemas and priority levels. They have no effect: requests are limited by --max-requests-inflight
// and similar flags. A spec that an administrator changed is kept if the annotation says so, except for mandatory
// objects. Upstream: pkg/registry/flowcontrol/{rest,ensurer}; util/flowcontrol/apf_controller.go

import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import { lazy } from "#api/lazy.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { formatTime } from "#api/time.ts";
import type { ServerCore } from "../core.ts";
import { FLOW_CONTROL } from "../generated/flow-control.ts";
import { deleteOwn, keyOfObject, storeOwn, updateOwn, withOwnedFields } from "../write/own-objects.ts";

const GROUP = "flowcontrol.apiserver.k8s.io";
const AUTO_UPDATE = "apf.kubernetes.io/autoupdate-spec";
const PRODUCER = "api-priority-and-fairness-config-producer-v1";
const CONSUMER = "api-priority-and-fairness-config-consumer-v1";
const MANDATORY: ReadonlySet<string> = new Set(["exempt", "catch-all"]);

type Configured = flow.FlowSchema | flow.PriorityLevelConfiguration;

/** A spec, and its fields as in managedFields. */
interface Configuration {
  readonly spec: unknown;
  readonly fields: number;
}

interface FlowControl {
  readonly flowSchemas: Readonly<Record<string, Configuration>>;
  readonly priorityLevels: Readonly<Record<string, Configuration>>;
  readonly fields: readonly Readonly<Record<string, unknown>>[];
}

const flowControl = lazy(() => JSON.parse(FLOW_CONTROL) as FlowControl);

export function bootstrapFlowControl(core: ServerCore): void {
  const { flowSchemas, priorityLevels } = flowControl();
  ensure(core, "prioritylevelconfigurations", priorityLevels, (level) => ({ ...level, status: {} }));
  ensure(core, "flowschemas", flowSchemas, (schema) => withFoundLevel(schema, formatTime(core.clock.now())));
}

function ensure(
  core: ServerCore,
  resource: string,
  configurations: Readonly<Record<string, Configuration>>,
  complete: (object: KubeObject) => KubeObject,
): void {
  const row = core.registry.row(`${resource}.${GROUP}`);
  if (row === undefined) return;
  const table = core.tableOf(row);
  for (const [name, { spec, fields }] of Object.entries(configurations)) {
    const expected = { metadata: { name, annotations: { [AUTO_UPDATE]: "true" } }, spec } as Configured;
    const stored = table.get(keyOfObject(row, expected));
    if (stored === undefined) {
      const owned = withOwnedFields(core, row, expected, flowControl().fields[fields] ?? {}, PRODUCER);
      storeOwn(core, row, complete(withMeta(owned, { generation: 1 })));
      continue;
    }
    const revised = revisedConfiguration(stored.object as Configured, expected);
    if (revised !== undefined) updateOwn(core, row, stored, revised, PRODUCER);
  }
  const isUnwanted = ({ metadata }: KubeObject): boolean =>
    !Object.hasOwn(configurations, metadata?.name ?? "") && isTrue(metadata?.annotations?.[AUTO_UPDATE]) === true;
  for (const { key, object } of [...table.scan({ prefix: "" })]) {
    if (isUnwanted(object)) deleteOwn(core, row.table, key);
  }
}

/** Undefined if the object needs no change. */
function revisedConfiguration(current: Configured, expected: Configured): Configured | undefined {
  const { name = "", annotations, generation = 0 } = current.metadata ?? {};
  const asked = isTrue(annotations?.[AUTO_UPDATE]);
  const updatesSpec = MANDATORY.has(name) || (asked ?? generation === 1);
  const hasOtherSpec = updatesSpec && !isSameSpec(expected, current);
  if (!hasOtherSpec && asked === updatesSpec) return undefined;
  const revised = hasOtherSpec
    ? withMeta({ ...current, spec: expected.spec } as Configured, { generation: generation + 1 })
    : current;
  return withMeta(revised, { annotations: { ...annotations, [AUTO_UPDATE]: String(updatesSpec) } });
}

/** Administrators may change the exempt level's lending. */
function isSameSpec(expected: Configured, current: Configured): boolean {
  const exempt = (current as flow.PriorityLevelConfiguration).spec?.exempt;
  const isExemptLevel = expected.metadata?.name === "exempt" && "exempt" in (expected.spec ?? {});
  return deepEqual(isExemptLevel && exempt !== undefined ? { ...expected.spec, exempt } : expected.spec, current.spec);
}

/** Like strconv.ParseBool; undefined if the text is not a boolean. */
function isTrue(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}

/** Adds the condition that the flow schema's priority level exists. */
function withFoundLevel(object: KubeObject, now: string): KubeObject {
  const level = (object as flow.FlowSchema).spec?.priorityLevelConfiguration.name ?? "";
  const fields = { "f:lastTransitionTime": {}, "f:message": {}, "f:reason": {}, "f:status": {}, "f:type": {} };
  const owner = {
    manager: CONSUMER,
    operation: "Apply",
    apiVersion: `${GROUP}/v1`,
    time: now,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:status": { "f:conditions": { 'k:{"type":"Dangling"}': { ".": {}, ...fields } } } },
    subresource: "status",
  };
  const found = {
    type: "Dangling",
    status: "False",
    lastTransitionTime: now,
    reason: "Found",
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
  };
  const managedFields = [owner, ...(object.metadata?.managedFields ?? [])];
  return { ...withMeta(object, { managedFields }), status: { conditions: [found] } } as KubeObject;
}
