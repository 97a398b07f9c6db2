import { describe } from "vitest";
import { playEmbedded } from "./embedded-suite.ts";
import { scenarios } from "./replicationcontroller.ts";

describe("replicationcontroller on the embedded server", () => {
  playEmbedded(["replicationcontroller-controller"], scenarios);
});
