// Addresses that endpoints and external IPs must not have.
// Upstream: pkg/apis/core/validation, ValidateEndpointIP

import * as field from "#api/field-error.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import type { Errors, Path } from "./checks.ts";

export function endpointIp(errors: Errors, ip: string, path: Path): void {
  const refuse = (detail: string): void => {
    errors.push(field.invalid(path, ip, detail));
  };
  const bytes = parseSloppyIp(ip)?.bytes;
  if (bytes === undefined) {
    refuse("must be a valid IP address");
    return;
  }
  const isV4 = bytes.length === 4;
  const [a = 0, b = 0, c = 0] = bytes;
  const last = bytes.at(-1);
  if (bytes.every((byte) => byte === 0)) refuse(`may not be unspecified (${ip})`);
  if (isV4 ? a === 127 : last === 1 && bytes.slice(0, -1).every((byte) => byte === 0)) {
    refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (isV4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80) {
    refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (isV4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02) {
    refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}
