// Allocated node ports, and one write's transaction: allocated ports are taken at once, released ports become free only
// when the write is done. Upstream: pkg/registry/core/service/portallocator

import type { Rng } from "#base/rng.ts";

const FIRST = 30_000;
const LAST = 32_767;
/**
 * The first port for dynamic allocation. Lower ports are meant for Services that choose their port, and are used last.
 */
const DRAWN_FROM = FIRST + 86;
/** A dry run counts up from this port. */
const DRY_RUN_BASE = 32_768;

export class NodePorts {
  readonly #rng: Rng;
  /** The node ports of all stored services, read at first use. */
  readonly #stored: () => Iterable<number>;
  #used: Set<number> | undefined;

  constructor(rng: Rng, stored: () => Iterable<number>) {
    this.#rng = rng;
    this.#stored = stored;
  }

  begin(dryRun: boolean): PortRequests {
    return dryRun ? new DryRun(this) : new Requests(this);
  }

  has(port: number): boolean {
    return this.#ports().has(port);
  }

  /** Returns why the port cannot be allocated. */
  allocate(port: number): string | undefined {
    if (port < FIRST || port > LAST) {
      return `provided port is not in the valid range. The range of valid ports is ${FIRST}-${LAST}`;
    }
    if (this.has(port)) return ALREADY_ALLOCATED;
    this.#ports().add(port);
    return undefined;
  }

  /** Undefined if no port is left. */
  allocateNext(): number | undefined {
    const port = this.#free(DRAWN_FROM, LAST) ?? this.#free(FIRST, DRAWN_FROM - 1);
    if (port !== undefined) this.#ports().add(port);
    return port;
  }

  release(port: number): void {
    this.#ports().delete(port);
  }

  #free(from: number, to: number): number | undefined {
    const count = to - from + 1;
    const start = this.#rng.below(count);
    for (let i = 0; i < count; i++) {
      const port = from + ((start + i) % count);
      if (!this.has(port)) return port;
    }
    return undefined;
  }

  #ports(): Set<number> {
    this.#used ??= new Set(this.#stored());
    return this.#used;
  }
}

const ALREADY_ALLOCATED = "provided port is already allocated";

export interface PortRequests {
  allocate(port: number): string | undefined;
  allocateNext(): number | undefined;
  releaseLater(port: number): void;
  commit(): void;
  revert(): void;
}

class Requests implements PortRequests {
  readonly #ports: NodePorts;
  readonly #taken: number[] = [];
  readonly #given: number[] = [];

  constructor(ports: NodePorts) {
    this.#ports = ports;
  }

  allocate(port: number): string | undefined {
    const error = this.#ports.allocate(port);
    if (error === undefined) this.#taken.push(port);
    return error;
  }

  allocateNext(): number | undefined {
    const port = this.#ports.allocateNext();
    if (port !== undefined) this.#taken.push(port);
    return port;
  }

  releaseLater(port: number): void {
    this.#given.push(port);
  }

  commit(): void {
    for (const port of this.#given) this.#ports.release(port);
  }

  revert(): void {
    for (const port of this.#taken) this.#ports.release(port);
  }
}

/** As upstream, a dry run checks no range, and for dynamic ports not even whether they are taken. */
class DryRun implements PortRequests {
  readonly #ports: NodePorts;
  readonly #taken: number[] = [];

  constructor(ports: NodePorts) {
    this.#ports = ports;
  }

  allocate(port: number): string | undefined {
    if (this.#ports.has(port) || this.#taken.includes(port)) return ALREADY_ALLOCATED;
    this.#taken.push(port);
    return undefined;
  }

  allocateNext(): number {
    const port = (this.#taken.length === 0 ? DRY_RUN_BASE : Math.max(...this.#taken)) + 1;
    this.#taken.push(port);
    return port;
  }

  releaseLater(): void {}

  commit(): void {}

  revert(): void {}
}
