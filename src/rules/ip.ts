// IP addresses and prefixes parsed like Go: the sloppy form (leading zeros are decimal) that old API fields accept, and
// the strict one. Upstream: k8s.io/utils/internal/third_party/forked/golang/net, net/netip

export interface ParsedIp {
  readonly family: 4 | 6;
  /** 4 or 16 bytes; an IPv4-mapped IPv6 address has 4. */
  readonly bytes: readonly number[];
  /** Written as ::ffff:a.b.c.d. */
  readonly isMapped: boolean;
}

function parseV4(text: string): number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^[0-9]{1,16}$/.test(part) || Number(part) > 255) return undefined;
    bytes.push(Number(part));
  }
  return bytes;
}

function parseV6(text: string): number[] | undefined {
  const gap = text.indexOf("::");
  if (gap !== text.lastIndexOf("::")) return undefined;
  const head = groups(gap < 0 ? text : text.slice(0, gap));
  const tail = gap < 0 ? [] : groups(text.slice(gap + 2));
  if (head === undefined || tail === undefined || (gap >= 0 && text.slice(0, gap).includes("."))) return undefined;
  const missing = 16 - head.length - tail.length;
  if (gap < 0 ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** The bytes of colon-separated groups; the last may be a dotted IPv4 address. */
function groups(text: string): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const bytes: number[] = [];
  for (const [i, part] of parts.entries()) {
    if (part.includes(".") && i === parts.length - 1) {
      const v4 = parseV4(part);
      if (v4 === undefined) return undefined;
      bytes.push(...v4);
      continue;
    }
    if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
    const group = Number.parseInt(part, 16);
    bytes.push(group >> 8, group & 0xff);
  }
  return bytes;
}

export function parseSloppyIp(text: string): ParsedIp | undefined {
  if (!text.includes(":")) {
    const bytes = parseV4(text);
    return bytes && { family: 4, bytes, isMapped: false };
  }
  const bytes = parseV6(text);
  if (bytes === undefined) return undefined;
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return isMapped ? { family: 4, bytes: bytes.slice(12), isMapped } : { family: 6, bytes, isMapped };
}

const hasLeadingZero = (text: string): boolean => /(^|[.:])0[0-9]+(\.|$)/.test(text) || /\.0[0-9]/.test(text);

/** Whether netip.ParseAddr accepts it (given that the sloppy parser does). */
export function isIpAddress(text: string): boolean {
  return !(text.includes(".") && hasLeadingZero(text)) && parseSloppyIp(text) !== undefined;
}

export interface ParsedCidr extends ParsedIp {
  readonly prefixLength: number;
  readonly hasHostBits: boolean;
}

export function parseSloppyCidr(text: string): ParsedCidr | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const ip = parseSloppyIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (ip === undefined || !/^[0-9]{1,9}$/.test(length)) return undefined;
  const bits = text.includes(":") ? 128 : 32;
  const prefixLength = Number(length);
  if (prefixLength > bits) return undefined;
  const full =
    bits === 128 && ip.bytes.length === 4 ? [...new Array<number>(10).fill(0), 255, 255, ...ip.bytes] : ip.bytes;
  const hasHostBits = full.some((byte, i) => (byte & (0xff >> Math.max(0, Math.min(8, prefixLength - i * 8)))) !== 0);
  return { ...ip, prefixLength, hasHostBits };
}

/** Whether netip.ParsePrefix accepts it (given that the sloppy parser does). */
export function isIpPrefix(text: string): boolean {
  const slash = text.indexOf("/");
  return isIpAddress(text.slice(0, slash)) && !/^0[0-9]/.test(text.slice(slash + 1));
}

/** Two addresses or prefixes, one of each family. */
export function isDualStack(families: readonly (4 | 6 | undefined)[]): boolean {
  return families.includes(4) && families.includes(6);
}

/** The canonical text of an address (RFC 5952). */
export function formatIp(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const gap = longestZeroRun(groups);
  const hex = (list: readonly number[]): string => list.map((group) => group.toString(16)).join(":");
  return gap === undefined ? hex(groups) : `${hex(groups.slice(0, gap.from))}::${hex(groups.slice(gap.to))}`;
}

function longestZeroRun(groups: readonly number[]): { from: number; to: number } | undefined {
  let best: { from: number; to: number } | undefined;
  for (let from = 0; from < groups.length; from++) {
    let to = from;
    while (to < groups.length && groups[to] === 0) to++;
    if (to - from >= 2 && to - from > (best ? best.to - best.from : 0)) best = { from, to };
    from = Math.max(from, to - 1);
  }
  return best;
}
