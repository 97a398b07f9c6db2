// IP addresses in the strict form of Go's net.ParseIP: no octets with leading zeros, no zone.

import ipaddr from "ipaddr.js"; // CommonJS: Node finds no named exports in it

export function isIpAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (!text.includes("%") && ipaddr.IPv6.isValid(text));
}
