import { expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { conflictMessage } from "./conflict.ts";

const pod = (name: string, namespace = "ns") => stored(Pods, { metadata: { name, namespace } });

it.each([
  [
    [],
    "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node",
  ],
  [[pod("a"), pod("b")], "Volume is already used by pod(s) a, b"],
  [[pod("a"), pod("x", "other")], "Volume is already used by pod(s) a and 1 pod(s) in different namespaces"],
  [[pod("x", "other"), pod("y", "other")], "Volume is already used by 2 pod(s) in different namespaces"],
])(
  "persistentvolume-attach-detach/13, persistentvolume-attach-detach/events tells a pod who has its volume (%#)",
  (users, message) => {
    expect(conflictMessage(pod("web"), users)).toBe(message);
  },
);
