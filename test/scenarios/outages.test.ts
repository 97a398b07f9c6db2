import { describe } from "vitest";
import { playEmbedded } from "./embedded-suite.ts";
import { outages } from "./outages.ts";

describe("an API server that is killed and restarted, on the embedded server", () => {
  playEmbedded(["replicaset-controller"], outages);
});
