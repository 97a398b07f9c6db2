import { describe } from "vitest";
import { publisherScenarios } from "./account-publisher-scenarios.ts";
import { accountScenarios } from "./account-scenarios.ts";
import { tokenScenarios } from "./account-token-scenarios.ts";
import { playEmbedded } from "./embedded-suite.ts";

describe("serviceaccount on the embedded server", () => {
  playEmbedded(["serviceaccount-controller"], accountScenarios);
});
describe("root-ca-certificate-publisher on the embedded server", () => {
  playEmbedded(["root-ca-certificate-publisher-controller"], publisherScenarios);
});
describe("serviceaccount-token on the embedded server", () => {
  playEmbedded(["serviceaccount-token-controller"], tokenScenarios);
});
