// Fuzzed requests to the embedded server alone: it answers all of them, fails only as upstream does, and keeps no
// memory.

import { expect, it } from "vitest";
import { embeddedSubject } from "./exchange.ts";
import { fuzzAlone } from "./fuzz.ts";
import { moreSettings } from "./judge-flags.ts";

const REQUESTS = 10_000;

/** Internal errors that upstream has too. */
const UNEXPECTED_BY_UPSTREAM: readonly RegExp[] = [
  /^Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'$/,
  /^Internal error occurred: failed to allocate requested HealthCheck NodePort \d+: provided port is already allocated$/,
];

const HEAP_GROWTH_BYTES_MAX = 16 * 1024 * 1024;

it("survives 10,000 fuzzed requests without keeping memory", async () => {
  const subject = embeddedSubject(moreSettings);
  const heap: number[] = [];
  const { statuses, internalErrors } = await fuzzAlone(
    subject,
    { seed: "alone", requests: REQUESTS, namespace: "alone" },
    () => {
      (globalThis as { Bun?: { gc(force: boolean): void } }).Bun?.gc(true);
      heap.push(process.memoryUsage().heapUsed);
    },
  );
  subject.close();
  expect([...statuses.values()].reduce((total, count) => total + count, 0)).toBe(REQUESTS);
  const isExpected = (text: string): boolean => UNEXPECTED_BY_UPSTREAM.some((known) => known.test(text));
  expect([...internalErrors.keys()].filter((text) => !isExpected(text))).toEqual([]);
  // The first parts fill permanent caches.
  const [, , warm = 0] = heap;
  expect(Math.max(...heap.slice(3)) - warm).toBeLessThan(HEAP_GROWTH_BYTES_MAX);
}, 900_000);
