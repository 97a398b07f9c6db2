// Warnings about valid addresses in a discouraged form.
// Upstream: apimachinery pkg/util/validation, GetWarningsForIP, GetWarningsForCIDR

import { goQuote } from "#api/go-text.ts";
import { formatIp, isIpAddress, isIpPrefix, type ParsedCidr, parseSloppyCidr, parseSloppyIp } from "#rules/ip.ts";
import type { Path } from "./checks.ts";

export function ipWarnings(value: string, path: Path): string[] {
  const ip = parseSloppyIp(value);
  if (ip === undefined) return [];
  const canonical = formatIp(ip.bytes);
  if (ip.isMapped || !isIpAddress(value)) {
    return [`${path}: non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(canonical)}`];
  }
  if (ip.family === 4 || canonical === value) return [];
  return [`${path}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`];
}

export function cidrWarnings(value: string, path: Path): string[] {
  const cidr = parseSloppyCidr(value);
  if (cidr === undefined) return [];
  const network = networkText(cidr);
  const warnings: string[] = [];
  if (cidr.hasHostBits) {
    const single = `${formatIp(cidr.bytes)}/${cidr.bytes.length * 8}`;
    const choice = `should be ${goQuote(network)} or ${goQuote(single)}?`;
    warnings.push(`${path}: CIDR value ${goQuote(value)} is ambiguous in this context (${choice})`);
  }
  if (cidr.isMapped || !isIpPrefix(value)) {
    warnings.push(`${path}: non-standard CIDR value ${goQuote(value)} is invalid: use ${goQuote(network)}`);
  }
  if (warnings.length === 0 && cidr.family === 6 && network !== value) {
    const form = `should be in RFC 5952 canonical format (${goQuote(network)})`;
    warnings.push(`${path}: IPv6 CIDR value ${goQuote(value)} ${form}`);
  }
  return warnings;
}

function networkText({ bytes, prefixLength, isMapped }: ParsedCidr): string {
  const length = isMapped ? prefixLength - 96 : prefixLength;
  const masked = bytes.map((byte, i) => byte & (0xff << (8 - Math.max(0, Math.min(8, length - i * 8)))) & 0xff);
  return `${formatIp(masked)}/${length}`;
}
