// IP addresses and networks in CEL. Upstream: k8s.io/apiserver/pkg/cel/{ip,cidr}.go; net/netip

import { goQuote } from "#api/go-text.ts";
import { formatIp, isIpAddress, parseSloppyIp } from "#rules/ip.ts";
import { CelError } from "./values.ts";

export interface Ip {
  readonly family: 4 | 6;
  /** 4 or 16. */
  readonly bytes: readonly number[];
}

export interface Cidr extends Ip {
  readonly bits: number;
}

/** The address, or Go's error. */
function readIp(text: string): Ip | string {
  if (isIpAddress(text)) {
    const parsed = parseSloppyIp(text);
    if (parsed !== undefined) {
      if (parsed.isMapped) return { family: 6, bytes: [...new Array<number>(10).fill(0), 255, 255, ...parsed.bytes] };
      return { family: parsed.family, bytes: parsed.bytes };
    }
  }
  const whole = `ParseAddr(${goQuote(text)})`;
  for (const char of text) {
    if (char === "." || char === ":") return `${whole}: ${char === "." ? v4Problem(text) : v6Problem(text)}`;
    if (char === "%") return `${whole}: missing IPv6 address`;
  }
  return `${whole}: unable to parse IP`;
}

function v4Problem(text: string): string {
  let value = 0;
  let digits = 0;
  let fields = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (/[0-9]/.test(char)) {
      if (digits === 1 && value === 0) return "IPv4 field has octet with leading zero";
      value = value * 10 + Number(char);
      digits++;
      if (value > 255) return "IPv4 field has value >255";
    } else if (char === ".") {
      if (i === 0 || i === text.length - 1 || text[i - 1] === ".") {
        return `IPv4 field must have at least one digit (at ${goQuote(text.slice(i))})`;
      }
      if (fields === 3) return "IPv4 address too long";
      fields++;
      value = 0;
      digits = 0;
    } else return `unexpected character (at ${goQuote(text.slice(i))})`;
  }
  return "IPv4 address too short";
}

function v6Problem(text: string): string {
  const bad = /[^0-9a-fA-F:.]/.exec(text);
  if (bad !== null)
    return `each colon-separated field must have at least one digit (at ${goQuote(text.slice(bad.index))})`;
  const groups = text.split(":");
  if (groups.some((group) => group.length > 4)) return "IPv6 field has value >=2^16";
  return groups.length > 8 ? "trailing garbage after address" : "address string too short";
}

const isMapped = ({ family, bytes }: Ip): boolean =>
  family === 6 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;

/** Throws a CelError. */
export function parseIp(text: string): Ip {
  if (text.includes("%") && typeof readIp(text.slice(0, text.indexOf("%"))) !== "string") {
    throw new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  }
  const ip = readIp(text);
  if (typeof ip === "string") {
    throw new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${ip}`);
  }
  if (isMapped(ip)) throw new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return ip;
}

/** Throws a CelError. */
export function parseCidr(text: string): Cidr {
  const refuse = (why: string): never => {
    const prefix = "network address parse error during conversion from string: ";
    throw new CelError(`${prefix}${prefix}${why}`);
  };
  const whole = `netip.ParsePrefix(${goQuote(text)})`;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return refuse(`${whole}: no '/'`);
  const ip = readIp(text.slice(0, slash));
  if (typeof ip === "string") return refuse(`${whole}: ${ip}`);
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]*)$/.test(length)) return refuse(`${whole}: bad bits after slash: ${goQuote(length)}`);
  const bits = Number(length);
  if (bits > ip.bytes.length * 8) return refuse(`${whole}: prefix length out of range`);
  if (isMapped(ip)) {
    const why = `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`;
    throw new CelError(`network address parse error during conversion from string: ${why}`);
  }
  return { ...ip, bits };
}

export const ipText = ({ bytes }: Ip): string => formatIp(bytes);
export const cidrText = (cidr: Cidr): string => `${ipText(cidr)}/${cidr.bits}`;

export function masked(cidr: Cidr): Cidr {
  const bytes = cidr.bytes.map((byte, i) => {
    const kept = Math.max(0, Math.min(8, cidr.bits - i * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return { ...cidr, bytes };
}

export function containsIp(cidr: Cidr, ip: Ip): boolean {
  if (cidr.family !== ip.family) return false;
  const network = masked({ ...ip, bits: cidr.bits }).bytes;
  return masked(cidr).bytes.every((byte, i) => byte === network[i]);
}

export const isSameIp = (a: Ip, b: Ip): boolean =>
  a.family === b.family && a.bytes.every((byte, i) => byte === b.bytes[i]);

const startsWith = (ip: Ip, ...bytes: number[]): boolean => bytes.every((byte, i) => ip.bytes[i] === byte);

export const isUnspecified = ({ bytes }: Ip): boolean => bytes.every((byte) => byte === 0);

export function isLoopback(ip: Ip): boolean {
  if (ip.family === 4) return ip.bytes[0] === 127;
  return ip.bytes.slice(0, 15).every((byte) => byte === 0) && ip.bytes[15] === 1;
}

export function isLinkLocalMulticast(ip: Ip): boolean {
  if (ip.family === 4) return startsWith(ip, 224, 0, 0);
  return ip.bytes[0] === 0xff && ((ip.bytes[1] as number) & 0x0f) === 0x02;
}

export function isLinkLocalUnicast(ip: Ip): boolean {
  if (ip.family === 4) return startsWith(ip, 169, 254);
  return ip.bytes[0] === 0xfe && ((ip.bytes[1] as number) & 0xc0) === 0x80;
}

export function isGlobalUnicast(ip: Ip): boolean {
  const isMulticast = ip.family === 4 ? ((ip.bytes[0] as number) & 0xf0) === 0xe0 : ip.bytes[0] === 0xff;
  const isBroadcast = ip.family === 4 && ip.bytes.every((byte) => byte === 255);
  return !isUnspecified(ip) && !isBroadcast && !isLoopback(ip) && !isMulticast && !isLinkLocalUnicast(ip);
}
