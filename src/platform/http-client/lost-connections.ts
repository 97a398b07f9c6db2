// Connections whose peer is gone: it has not acknowledged for a while what was sent to it. The kernel ends them only
// after a quarter of an hour, and keep-alive does not help while anything waits to be acknowledged. Go finds out by the
// pings of HTTP/2; Linux can be asked, without a word to the peer.
import { existsSync, readFileSync } from "node:fs";

/** The kernel waits twice as long before each next try: five take six seconds at least. */
const TRIES = 5;

/** Established, and with the timer of a repeated transmission running. */
const row = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 \S+ 01:[0-9A-F]+ ([0-9A-F]{8}) /gm;

/** Keys of portsKey; undefined where the system does not tell. */
export function lostConnections(): ReadonlySet<string> | undefined {
  const tables = ["tcp", "tcp6"].map((name) => `/proc/self/net/${name}`).filter((path) => existsSync(path));
  if (tables.length === 0) return undefined;
  return lostIn(tables.map((path) => readFileSync(path, "latin1")).join(""));
}

export function lostIn(table: string): ReadonlySet<string> {
  const lost = new Set<string>();
  for (const [, local, remote, tries = ""] of table.matchAll(row)) {
    if (Number.parseInt(tries, 16) >= TRIES) lost.add(`${local} ${remote}`);
  }
  return lost;
}

/** A connection by its ports; those of two to different addresses may be the same, which hardly ever happens. */
export function portsKey(local: number, remote: number): string {
  return [local, remote].map((port) => port.toString(16).toUpperCase().padStart(4, "0")).join(" ");
}
