import { describe } from "vitest";
import { publisherScenarios } from "./account-publisher-scenarios.ts";
import { tokenScenarios } from "./account-token-scenarios.ts";
import { playEmbedded } from "./embedded-suite.ts";

describe("root-ca-certificate-publisher on the embedded server", () => {
  playEmbedded(["root-ca-certificate-publisher-controller"], publisherScenarios);
});
describe("serviceaccount-token on the embedded server", () => {
  playEmbedded(["serviceaccount-token-controller"], tokenScenarios);
});
