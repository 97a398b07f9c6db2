// Versions such as 1.2.3-rc.1+build. Upstream: github.com/blang/semver, Parse; apiserver/pkg/cel/library/semverlib.go

import { goQuote } from "#api/go-text.ts";
import { CelError, type Semver } from "./values.ts";

const refuse = (why: string): never => {
  throw new CelError(why);
};

/** Throws a CelError. `normalize` accepts a leading "v", missing parts and leading zeros. */
export function parseSemver(given: string, normalize: boolean): Semver {
  const text = normalize ? normalized(given) : given;
  if (text === "") return refuse("Version string empty");
  const parts = text.split(".");
  if (parts.length < 3) return refuse("No Major.Minor.Patch elements found");
  const [major = "", minor = ""] = parts;
  let patch = parts.slice(2).join(".");
  let build: string | undefined;
  let pre: string | undefined;
  const plus = patch.indexOf("+");
  if (plus >= 0) {
    build = patch.slice(plus + 1);
    patch = patch.slice(0, plus);
  }
  const dash = patch.indexOf("-");
  if (dash >= 0) {
    pre = patch.slice(dash + 1);
    patch = patch.slice(0, dash);
  }
  const numbers = [number(major, "major"), number(minor, "minor"), number(patch, "patch")] as const;
  const prerelease = pre === undefined ? [] : pre.split(".").map(prereleasePart);
  for (const part of build === undefined ? [] : build.split(".")) {
    if (part === "") return refuse("Build meta data is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part)) return refuse(`Invalid character(s) found in build meta data ${goQuote(part)}`);
  }
  return { major: numbers[0], minor: numbers[1], patch: numbers[2], pre: prerelease, text };
}

function number(text: string, name: "major" | "minor" | "patch"): bigint {
  const label = name.slice(0, 1).toUpperCase() + name.slice(1);
  if (!/^[0-9]*$/.test(text)) return refuse(`Invalid character(s) found in ${name} number ${goQuote(text)}`);
  if (text.length > 1 && text.startsWith("0"))
    return refuse(`${label} number must not contain leading zeroes ${goQuote(text)}`);
  if (text === "") return refuse(`strconv.ParseUint: parsing "": invalid syntax`);
  return BigInt(text);
}

function prereleasePart(text: string): bigint | string {
  if (text === "") return refuse("Prerelease is empty");
  if (/^[0-9]+$/.test(text)) {
    if (text.length > 1 && text.startsWith("0")) {
      return refuse(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
    }
    return BigInt(text);
  }
  return /^[0-9A-Za-z-]+$/.test(text) ? text : refuse(`Invalid character(s) found in prerelease ${goQuote(text)}`);
}

function normalized(given: string): string {
  const text = given.startsWith("v") ? given.slice(1) : given;
  const [first = "", second, ...rest] = text.split(".");
  const parts = [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join(".")])];
  const stripped = parts.map((part) => {
    if (part.length <= 1) return part;
    const bare = part.replace(/^0+/, "");
    return /^[0-9]/.test(bare) ? bare : `0${bare}`;
  });
  if (stripped.length < 3 && /[+-]/.test(stripped.at(-1) ?? "")) {
    return refuse("short version cannot contain PreRelease/Build meta data");
  }
  while (stripped.length < 3) stripped.push("0");
  return stripped.join(".");
}
