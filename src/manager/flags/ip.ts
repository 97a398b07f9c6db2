// IP addresses in the strict form of Go's net.ParseIP: no octets with leading zeros, no zone.

import { IPv4, IPv6 } from "ipaddr.js";

export function isIpAddress(text: string): boolean {
  return IPv4.isValidFourPartDecimal(text) || (!text.includes("%") && IPv6.isValid(text));
}
