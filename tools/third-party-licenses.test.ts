import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { bundledPackages, licenseTexts, runtimeLicenseTexts } from "./third-party-licenses.ts";

it("names the packages of a bundle with their licenses", () => {
  const packages = bundledPackages(["../node_modules/re2js/build/x.js", "../src/cmd/steersman.ts"]);
  expect([...packages]).toEqual(["re2js"]);
  expect(licenseTexts([...packages])).toMatch(/^re2js \d+\.\d+\.\d+, MIT\n\n/);
});

it("has the licenses of the runtime that is compiled in, of its engine and of its libraries", () => {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const text = runtimeLicenseTexts();
  expect(text).toContain(`Bun ${devDependencies.bun}\n`);
  for (const part of ["MIT License", "JavaScriptCore", "GNU LIBRARY GENERAL PUBLIC LICENSE", "GNU LESSER GENERAL"]) {
    expect(text).toContain(part);
  }
  // In the table of libraries a * refers to a license text further down.
  const promised = [...text.matchAll(/^ {2}(\S+) \* {2,}/gm)].map(([, name = ""]) => name.replace(/_c$/, ""));
  expect(promised.length).toBeGreaterThan(15);
  for (const name of promised.filter((each) => each !== "TinyCC"))
    expect(text).toMatch(new RegExp(`^-+\n${name}\n`, "m"));
});
