import { describe } from "vitest";
import { playEmbedded } from "./embedded-suite.ts";
import { replicaCases } from "./replica-cases.ts";
import { replicaSets, replicationControllers } from "./replica-subject.ts";

describe("replicaset/tests integration and conformance cases on the embedded server", () => {
  playEmbedded(["replicaset-controller"], replicaCases(replicaSets));
});

describe("replicationcontroller/tests integration and conformance cases on the embedded server", () => {
  playEmbedded(["replicationcontroller-controller"], replicaCases(replicationControllers));
});
