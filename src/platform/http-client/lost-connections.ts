// Finds connections whose peer is gone: it has not acknowledged sent data for a while. The kernel closes them only
// after a quarter of an hour, and TCP keep-alive does not work while data is unacknowledged. Go detects them by HTTP/2
// pings; Linux lists them in /proc without sending anything.
import { existsSync, readFileSync } from "node:fs";

/** The kernel doubles its delay before each retransmission: five take at least six seconds. */
const TRIES = 5;

/** An established connection whose retransmission timer runs. */
const row = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 \S+ 01:[0-9A-F]+ ([0-9A-F]{8}) /gm;

/** Keys as made by portsKey; undefined where the system does not report them. */
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

/** Identifies a connection by its ports. Connections to different addresses could share a key, but rarely do. */
export function portsKey(local: number, remote: number): string {
  return [local, remote].map((port) => port.toString(16).toUpperCase().padStart(4, "0")).join(" ");
}
