// Expectations: the creations and deletions that a controller has requested and not yet seen in its cache. While they
// are open, the cache is known to lag, and counting its pods would create or delete too many.
// Upstream: pkg/controller/controller_utils.go, ControllerExpectations, UIDTrackingControllerExpectations.

import type { Clock } from "#base/clock.ts";

/** After this time an owner whose events never come may act again. */
const EXPECTATION_TIMEOUT_MS = 5 * 60_000;

interface Expectation {
  creations: number;
  deletions: number;
  readonly setAtMs: number;
}

/** Counters per owner key. They may fall below zero, when an event comes before its expectation. */
export class Expectations {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Expectation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when no event is awaited: no expectations, all seen, or timed out. */
  areMet(key: string): boolean {
    const expectation = this.#byKey.get(key);
    if (expectation === undefined) return true;
    if (expectation.creations <= 0 && expectation.deletions <= 0) return true;
    return this.#clock.monotonicMs() - expectation.setAtMs > EXPECTATION_TIMEOUT_MS;
  }

  /** Replaces the earlier expectations. */
  expect(key: string, creations: number, deletions: number): void {
    this.#byKey.set(key, { creations, deletions, setAtMs: this.#clock.monotonicMs() });
  }

  expectCreations(key: string, count: number): void {
    this.expect(key, count, 0);
  }

  expectDeletions(key: string, count: number): void {
    this.expect(key, 0, count);
  }

  /** Adds to what is already expected; without an entry nothing happens. */
  raise(key: string, creations: number, deletions: number): void {
    this.#lower(key, -creations, -deletions);
  }

  creationObserved(key: string, count = 1): void {
    this.#lower(key, count, 0);
  }

  deletionObserved(key: string, count = 1): void {
    this.#lower(key, 0, count);
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #lower(key: string, creations: number, deletions: number): void {
    const expectation = this.#byKey.get(key);
    if (expectation === undefined) return;
    expectation.creations -= creations;
    expectation.deletions -= deletions;
  }
}

/**
 * Expectations that remember which objects are to be deleted. A deletion is announced twice, by the deletionTimestamp
 * and by the delete event; remembering the object keys makes it count once.
 */
export class TrackingExpectations {
  readonly #counters: Expectations;
  readonly #awaited = new Map<string, Set<string>>();

  constructor(clock: Clock) {
    this.#counters = new Expectations(clock);
  }

  areMet(key: string): boolean {
    return this.#counters.areMet(key);
  }

  expectCreations(key: string, count: number): void {
    this.#counters.expectCreations(key, count);
  }

  creationObserved(key: string, count = 1): void {
    this.#counters.creationObserved(key, count);
  }

  expectDeletions(key: string, objectKeys: readonly string[]): void {
    const awaited = new Set(objectKeys);
    this.#awaited.set(key, awaited);
    this.#counters.expectDeletions(key, awaited.size);
  }

  deletionObserved(key: string, objectKey: string): void {
    if (this.#awaited.get(key)?.delete(objectKey)) this.#counters.deletionObserved(key);
  }

  forget(key: string): void {
    this.#awaited.delete(key);
    this.#counters.forget(key);
  }
}
