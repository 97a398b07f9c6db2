// Constraints of a limit range on the requests and limits of a container, pod or claim.
// Upstream: plugin/pkg/admission/limitranger/admission.go, minConstraint and its siblings

import type { LimitRangeItem } from "#api/generated/types/core-v1.ts";
import { MILLI, type Quantity, ZERO_QUANTITY } from "#api/quantity.ts";
import { type ReadonlyAmounts, readAmounts } from "#rules/resource-amounts.ts";

export interface Asked {
  readonly requests: ReadonlyAmounts;
  readonly limits: ReadonlyAmounts;
}

/** 2^63-1 thousandths. Larger values are compared in whole units. */
const MILLI_VALUE_MAX = (2n ** 63n - 1n) / 1000n;

/** All violations with upstream's messages, sorted by resource name; upstream's order is random. */
export function constraintErrors(item: LimitRangeItem, asked: Asked): string[] {
  return [
    ...eachAmount(item.min, (name, enforced) => belowMin(item.type, name, enforced, asked)),
    ...eachAmount(item.max, (name, enforced) => aboveMax(item.type, name, enforced, asked)),
    ...eachAmount(item.maxLimitRequestRatio, (name, enforced) => aboveRatio(item.type, name, enforced, asked)),
  ];
}

/** For a claim only the requests count. */
export function claimErrors(item: LimitRangeItem, requests: ReadonlyAmounts): string[] {
  const asked: Asked = { requests, limits: new Map() };
  return [
    ...eachAmount(item.min, (name, enforced) => belowMin(item.type, name, enforced, asked)),
    ...eachAmount(item.max, (name, enforced) => requestAboveMax(item.type, name, enforced, requests)),
  ];
}

function eachAmount(
  wire: Parameters<typeof readAmounts>[0],
  check: (name: string, enforced: Quantity) => string | undefined,
): string[] {
  if (wire === undefined) return [];
  const amounts = readAmounts(wire);
  const found = [...amounts.keys()].sort().map((name) => check(name, amounts.get(name) as Quantity));
  return found.filter((text) => text !== undefined);
}

interface Values {
  readonly request: bigint;
  readonly limit: bigint;
  readonly enforced: bigint;
}

/** All values at one scale: thousandths, unless that overflows. */
function comparable(request: Quantity, limit: Quantity, enforced: Quantity): Values {
  const at = (scale: number): Values => ({
    request: request.scaledInt64(scale),
    limit: limit.scaledInt64(scale),
    enforced: enforced.scaledInt64(scale),
  });
  const whole = at(0);
  return Object.values(whole).every((value: bigint) => value <= MILLI_VALUE_MAX) ? at(MILLI) : whole;
}

function belowMin(type: string, name: string, enforced: Quantity, { requests, limits }: Asked): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const values = comparable(request ?? ZERO_QUANTITY, limit ?? ZERO_QUANTITY, enforced);
  const rule = `minimum ${name} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (values.request < values.enforced) return `${rule}, but request is ${request}`;
  if (limit !== undefined && values.limit < values.enforced) return `${rule}, but limit is ${limit}`;
  return undefined;
}

function aboveMax(type: string, name: string, enforced: Quantity, { requests, limits }: Asked): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const values = comparable(request ?? ZERO_QUANTITY, limit ?? ZERO_QUANTITY, enforced);
  const rule = `maximum ${name} usage per ${type} is ${enforced}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (values.limit > values.enforced) return `${rule}, but limit is ${limit}`;
  if (request !== undefined && values.request > values.enforced) return `${rule}, but request is ${request}`;
  return undefined;
}

function requestAboveMax(
  type: string,
  name: string,
  enforced: Quantity,
  requests: ReadonlyAmounts,
): string | undefined {
  const request = requests.get(name);
  const rule = `maximum ${name} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  const values = comparable(request, ZERO_QUANTITY, enforced);
  return values.request > values.enforced ? `${rule}, but request is ${request}` : undefined;
}

function aboveRatio(type: string, name: string, enforced: Quantity, { requests, limits }: Asked): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const values = comparable(request ?? ZERO_QUANTITY, limit ?? ZERO_QUANTITY, enforced);
  const rule = `${name} max limit to request ratio per ${type} is ${enforced}`;
  if (values.request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (values.limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(values.limit) / Number(values.request);
  const whole = enforced.scaledInt64(0);
  const isExceeded =
    whole <= MILLI_VALUE_MAX ? ratio * 1000 > Number(enforced.scaledInt64(MILLI)) : ratio > Number(whole);
  return isExceeded ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
