// Converts resource.k8s.io/v1beta1 to and from v1, which is stored. In v1beta1, exact requests are not nested and
// devices are "basic". Upstream: pkg/apis/resource/v1beta1/conversion.go

import type { KubeObject } from "#api/object.ts";
import type { Conversion } from "#kinds/kind.ts";

type Fields = Readonly<Record<string, unknown>>;
type Change = (fields: Fields) => Fields;

const WANTED = [
  "deviceClassName",
  "selectors",
  "allocationMode",
  "count",
  "adminAccess",
  "tolerations",
  "capacity",
] as const;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Applies the change at a path of keys, of which the last may hold a list. Absent fields are skipped. */
function within([key, ...keys]: readonly string[], change: Change): Change {
  return (fields) => {
    if (key === undefined) return change(fields);
    const value = fields[key];
    const below = within(keys, change);
    if (Array.isArray(value)) return { ...fields, [key]: value.map((item) => (isFields(item) ? below(item) : item)) };
    return isFields(value) ? { ...fields, [key]: below(value) } : fields;
  };
}

function conversion(toStored: Change, fromStored: Change): Conversion {
  const to = (version: string, change: Change) => (object: KubeObject) =>
    ({ ...change(object as unknown as Fields), apiVersion: `resource.k8s.io/${version}` }) as KubeObject;
  return { toStored: to("v1", toStored), fromStored: to("v1beta1", fromStored) };
}

const isZero = (value: unknown): boolean => value === "" || value === 0;

function nested(request: Fields): Fields {
  const out: Record<string, unknown> = { ...request };
  const exactly: Record<string, unknown> = {};
  for (const part of WANTED) {
    if (out[part] !== undefined && !isZero(out[part])) exactly[part] = out[part];
    delete out[part];
  }
  return Object.keys(exactly).length === 0 ? out : { ...out, exactly };
}

function flat({ exactly, ...request }: Fields): Fields {
  return isFields(exactly) ? { ...request, ...exactly } : request;
}

const REQUESTS = ["spec", "devices", "requests"];

export const claimConversion: Conversion = conversion(within(REQUESTS, nested), within(REQUESTS, flat));
export const templateConversion: Conversion = conversion(
  within(["spec", ...REQUESTS], nested),
  within(["spec", ...REQUESTS], flat),
);

const DEVICES = ["spec", "devices"];

function withoutBasic({ basic, ...device }: Fields): Fields {
  return isFields(basic) ? { ...device, ...basic } : device;
}

const withBasic = ({ name, ...basic }: Fields): Fields => ({ name, basic });

/** Drops an empty name and a false. */
function withoutZeros(spec: Fields): Fields {
  const { nodeName, allNodes, ...rest } = spec;
  return {
    ...rest,
    ...(nodeName === undefined || nodeName === "" ? {} : { nodeName }),
    ...(allNodes === true ? { allNodes } : {}),
  };
}

export const sliceConversion: Conversion = conversion(
  (slice) => within(["spec"], withoutZeros)(within(DEVICES, withoutBasic)(slice)),
  within(DEVICES, withBasic),
);
