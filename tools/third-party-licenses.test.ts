import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { bundledPackages, licenseTexts, runtimeLicenseTexts } from "./third-party-licenses.ts";

it("names the packages of a bundle with their licenses", () => {
  const packages = bundledPackages(["../node_modules/re2js/build/x.js", "../src/cmd/steersman.ts"]);
  expect([...packages]).toEqual(["re2js"]);
  expect(licenseTexts([...packages])).toMatch(/^re2js \d+\.\d+\.\d+, MIT\n\n/);
});

it("has the licenses of the very runtime that is compiled in, and of its engine", () => {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const text = runtimeLicenseTexts();
  expect(text).toContain(`Bun ${devDependencies.bun}\n`);
  for (const part of ["JavaScriptCore", "GNU LIBRARY GENERAL PUBLIC LICENSE", "GNU LESSER GENERAL PUBLIC LICENSE"]) {
    expect(text).toContain(part);
  }
});
