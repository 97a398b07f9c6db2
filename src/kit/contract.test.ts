import { describe, expect, it } from "vitest";
import {
  anyResource,
  type ContractHolder,
  create,
  events,
  get,
  list,
  patch,
  remove,
  removeAll,
  type SeenRequest,
  unexercised,
  update,
  violations,
} from "./contract.ts";

const pods = { group: "", resource: "pods" };
const sets = { group: "apps", resource: "replicasets" };

const replicas: ContractHolder = {
  name: "replicaset-controller",
  contract: {
    watches: [sets, pods],
    reads: [get(sets), list(pods)],
    writes: [create(pods), patch(pods), remove(pods), update(sets, "status"), ...events],
  },
};
const collector: ContractHolder = {
  name: "garbage-collector-controller",
  contract: {
    watches: [anyResource],
    reads: [get(anyResource)],
    writes: [
      remove(anyResource, { preconditions: ["uid", "resourceVersion"] }),
      remove(sets, { preconditions: "uid" }),
    ],
  },
};
const signing: ContractHolder = {
  name: "certificatesigningrequest-signing-controller",
  contract: { watches: [], reads: [], writes: [update(sets)] },
};
const cleaning: ContractHolder = {
  name: "certificatesigningrequest-cleaner-controller",
  contract: { watches: [], reads: [], writes: [removeAll(sets)] },
};

/** "identity verb resource.group/subresource +precondition". */
function seen(text: string): SeenRequest {
  const [identity = "", verb = "", target = "", ...preconditions] = text.split(" ");
  const [name = "", subresource = ""] = target.split("/");
  const [resource = "", group = ""] = name.split(".");
  return {
    identity,
    verb,
    group,
    resource,
    subresource,
    preconditions: preconditions.map((word) => word.slice(1) as "uid"),
  };
}

describe("violations of a contract", () => {
  const allowed = [
    "replicaset-controller create pods",
    "replicaset-controller update replicasets.apps/status",
    "replicaset-controller get replicasets.apps",
    "replicaset-controller list pods",
    "replicaset-controller patch events",
    "shared-informers watch pods",
    "shared-informers list pods",
    "leader-election update leases.coordination.k8s.io",
  ];
  const refused = [
    "replicaset-controller update replicasets.apps",
    "replicaset-controller get pods",
    "replicaset-controller list replicasets.apps",
    "replicaset-controller create replicasets.extensions",
    "replicaset-controller delete pods +uid",
    "shared-informers watch nodes",
    "replicaset-controller watch nodes",
    "metadata-informers list nodes",
  ];
  for (const text of allowed) {
    it(`allows ${text}`, () => {
      expect(violations([replicas], [seen(text)])).toEqual([]);
    });
  }
  for (const text of refused) {
    it(`refuses ${text}`, () => {
      expect(violations([replicas], [seen(text)])).toEqual([
        text.replace(" ", ": ").replace("+uid", "with preconditions uid"),
      ]);
    });
  }

  it("a delete carries exactly its preconditions, in any order", () => {
    const requests = [
      "generic-garbage-collector delete nodes +resourceVersion +uid",
      "generic-garbage-collector delete replicasets.apps +uid",
      "generic-garbage-collector delete nodes +uid",
      "generic-garbage-collector delete nodes",
      "generic-garbage-collector delete nodes",
    ];
    expect(violations([collector], requests.map(seen))).toEqual([
      "generic-garbage-collector: delete nodes with preconditions uid",
      "generic-garbage-collector: delete nodes",
    ]);
  });

  it("controllers of one identity may do what any of them may, and watch what any controller watches", () => {
    const requests = [
      "certificate-controller update replicasets.apps",
      "certificate-controller deletecollection replicasets.apps",
      "shared-informers watch nodes",
    ].map(seen);
    expect(violations([signing, cleaning, collector], requests)).toEqual([]);
    expect(violations([signing], requests)).toEqual([
      "certificate-controller: deletecollection replicasets.apps",
      "shared-informers: watch nodes",
    ]);
  });
});

it("names what a contract claims and nothing showed", () => {
  const requests = [
    "shared-informers watch pods",
    "replicaset-controller create pods",
    "replicaset-controller list pods",
    "job-controller patch pods",
    "replicaset-controller update replicasets.apps/status",
    "replicaset-controller create events",
    "generic-garbage-collector delete pods +uid +resourceVersion",
  ].map(seen);
  expect(unexercised(replicas, requests)).toEqual([
    "watch replicasets.apps",
    "get replicasets.apps",
    "patch pods",
    "delete pods",
    "patch events",
  ]);
  expect(unexercised(collector, requests)).toEqual(["get *", "delete replicasets.apps with preconditions uid"]);
});
