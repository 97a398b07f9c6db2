// The resource usage of simulated containers. Without annotations a pod uses a tenth of its requests. Annotations give
// one amount, or a curve of amounts over the running time of the container.

import type { Container } from "#api/generated/types/core-v1.ts";
import { durationMs, parseDuration } from "#api/go-duration.ts";
import { milliQuantity, type Quantity, quantityOf } from "#api/quantity.ts";
import { parseQuantity } from "#api/quantity-parser.ts";

/** An amount at a time after the container's start. */
interface Point {
  readonly atMs: number;
  readonly amount: number;
}

/** The amount changes linearly between points; before the first and after the last it is constant. */
export type Curve = readonly Point[];

/** Milli CPUs, and bytes. */
export interface UsageCurves {
  readonly cpu?: Curve;
  readonly memory?: Curve;
}

export interface Usage {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

const IDLE_SHARE = 0.1;
const IDLE_MILLI_CPU = 1;
const IDLE_BYTES = 16 * 1024 * 1024;
const KIB = 1024;

/** "200m", or "0s=100m 1m=400m". Throws an Error for an invalid text. */
export function parseCurve(text: string, amountOf: (quantity: Quantity) => number): Curve {
  const parts = text.trim().split(/\s+/);
  if (parts.length === 1 && !text.includes("=")) return [{ atMs: 0, amount: parseAmount(text, amountOf) }];
  const points = parts.map((part) => {
    const [time = "", amount, ...rest] = part.split("=");
    if (amount === undefined || rest.length > 0) throw new Error(`"${part}" is not of the form TIME=AMOUNT`);
    return { atMs: durationMs(parseDuration(time)), amount: parseAmount(amount, amountOf) };
  });
  for (const [index, { atMs }] of points.entries()) {
    const before = points[index - 1]?.atMs ?? -1;
    if (atMs <= before) throw new Error("the times must not be negative, and must increase");
  }
  return points;
}

function parseAmount(text: string, amountOf: (quantity: Quantity) => number): number {
  const amount = amountOf(parseQuantity(text.trim()));
  if (amount < 0) throw new Error(`"${text}" is negative`);
  return amount;
}

export function amountAt(curve: Curve, runMs: number): number {
  const next = curve.findIndex(({ atMs }) => atMs > runMs);
  const to = curve[next];
  const from = curve[next < 0 ? curve.length - 1 : next - 1];
  if (to === undefined || from === undefined) return (from ?? to)?.amount ?? 0;
  return from.amount + ((to.amount - from.amount) * (runMs - from.atMs)) / (to.atMs - from.atMs);
}

/** The usage of a container after this running time. */
export function usageOf({ resources }: Container, curves: UsageCurves, runMs: number): Usage {
  const { cpu = "", memory = "" } = resources?.requests ?? {};
  const idle = (request: string, amountOf: (quantity: Quantity) => number, otherwise: number): number =>
    request === "" ? otherwise : amountOf(parseQuantity(request)) * IDLE_SHARE;
  const milliCpu = curves.cpu ? amountAt(curves.cpu, runMs) : idle(cpu, (q) => q.milliValue(), IDLE_MILLI_CPU);
  const bytes = curves.memory ? amountAt(curves.memory, runMs) : idle(memory, (q) => q.value(), IDLE_BYTES);
  return {
    cpu: milliQuantity(Math.round(milliCpu)),
    memory: quantityOf(Math.round(bytes / KIB) * KIB, "BinarySI"),
  };
}
