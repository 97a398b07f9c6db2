// The --version flag. Without a value it prints the version, with =raw all details. =vX.Y.Z-suffix replaces the
// reported version if its numbers match the built ones.
// Upstream: k8s.io/component-base/version/verflag; component-base/version/dynamic.go.

import { goQuote } from "#api/go-text.ts";
import type { FlagType } from "../flags/flag-types.ts";
import { FlagValueError, parseBool } from "../flags/go-number.ts";

/** The release this program is compatible with and reports. */
export const KUBERNETES_VERSION = "v1.36.4";

export const versionFlag: FlagType<string> = {
  shownAs: "version",
  valueWhenAlone: "true",
  parse(text) {
    if (text === "raw") return text;
    if (text.startsWith("v")) {
      requireSameRelease(text);
      return text;
    }
    return String(parseBool(text));
  },
  print: (value) => value,
  zeroText: ["false"],
};

function requireSameRelease(version: string): void {
  const match = /^v(\d+)\.(\d+)\.(\d+)([-+].*)?$/.exec(version);
  if (match === null) throw new FlagValueError(`could not parse ${goQuote(version)} as version`);
  if (`v${match[1]}.${match[2]}.${match[3]}` !== KUBERNETES_VERSION) {
    throw new FlagValueError(
      `version ${goQuote(version)} must match major/minor/patch of default version ${goQuote(KUBERNETES_VERSION)}`,
    );
  }
}
