// Time zones as a dependency. Zone rules differ between hosts, so deterministic code uses an injected database:
// platform/ provides the runtime's, tests provide recorded transitions.

export interface TimeZone {
  /** Seconds to add to UTC at an instant given in seconds since the epoch. */
  offsetAt(epochSeconds: number): number;
}

export interface TimeZones {
  /** The IANA zone of exactly this name, or undefined. */
  find(name: string): TimeZone | undefined;
  /** The zone of the process, which Go calls Local. */
  readonly local: TimeZone;
}

export const UTC: TimeZone = { offsetAt: () => 0 };

/** Only UTC. */
export const UTC_ONLY: TimeZones = { find: (name) => (name === "Etc/UTC" ? UTC : undefined), local: UTC };
