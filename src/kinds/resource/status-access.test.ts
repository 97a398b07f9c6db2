import { describe, expect, it } from "vitest";
import { errorText } from "#api/field-error.ts";
import type { ResourceClaim, ResourceClaimStatus } from "#api/generated/types/resource-v1.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { AskedAccess, WriteAccess } from "#kinds/strategy.ts";
import { statusAccess } from "./status-access.ts";

const allocation = {
  devices: { results: [{ request: "r", driver: "gpu.example.com", pool: "p", device: "d" }] },
  nodeSelector: {
    nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] }],
  },
};
const device = { driver: "gpu.example.com", pool: "p", device: "d" };

const claim = (status: ResourceClaimStatus): ResourceClaim => ({
  metadata: { name: "c", namespace: "team-a" },
  spec: {},
  status,
});

const driverOn = (...nodes: readonly string[]): UserInfo => ({
  name: "system:serviceaccount:drivers:gpu",
  extra: { "authentication.kubernetes.io/node-name": nodes },
});

/** The authorizer's questions, and the errors if only the given accesses are allowed. */
async function ask(
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  user: UserInfo,
  isAllowed: (asked: AskedAccess) => boolean,
  off?: string,
): Promise<{ asked: string[]; errors: string[] }> {
  const asked: string[] = [];
  const access: WriteAccess = {
    user,
    verb: "update",
    refusal(given) {
      const { verb, subresource, namespace, name } = given;
      asked.push(`${verb} ${subresource} ${namespace}/${name}`);
      return Promise.resolve(isAllowed(given) ? undefined : "no");
    },
  };
  const errors = await statusAccess(claim(status), claim(old), access, {
    gates: { isEnabled: (gate) => gate !== off },
  });
  return { asked, errors: errors.map(errorText) };
}

const never = (): boolean => false;

describe("machinery/7.4.r1 who may write which part of a claim's status", () => {
  it("checks nothing if neither the allocation nor the devices change", async () => {
    const status = { allocation, devices: [device] };
    expect(await ask(status, status, { name: "a" }, never)).toEqual({ asked: [], errors: [] });
  });

  it.each([
    ["DRAResourceClaimGranularStatusAuthorization", []],
    ["DRAResourceClaimDeviceStatus", ["update binding /"]],
  ])("needs fewer permissions without the gate %s", async (gate, expected) => {
    const { asked } = await ask({ allocation, devices: [device] }, {}, { name: "a" }, () => true, gate);
    expect(asked).toEqual(expected);
  });

  it("checks the permission to bind claims of the whole cluster", async () => {
    expect(await ask({ allocation }, {}, { name: "a" }, never)).toEqual({
      asked: ["update binding /"],
      errors: [
        'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: no',
      ],
    });
  });

  it("needs either permission for a driver on the node of the allocation", async () => {
    const change = [{ allocation, devices: [device] }, { allocation }] as const;
    expect(await ask(...change, driverOn("node-1"), ({ verb }) => verb === "arbitrary-node:update")).toEqual({
      asked: [
        "associated-node:update driver team-a/gpu.example.com",
        "arbitrary-node:update driver team-a/gpu.example.com",
      ],
      errors: [],
    });
    expect((await ask(...change, driverOn("node-1"), never)).errors).toEqual([
      'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[associated-node:update arbitrary-node:update]" permission: no',
    ]);
  });

  it.each([[driverOn("node-2")], [driverOn("node-1", "node-2")], [{ ...driverOn("node-1"), name: "node-1" }]])(
    "needs the permission for any node for others: %j",
    async (user) => {
      const { asked } = await ask({ allocation, devices: [device] }, { allocation }, user, never);
      expect(asked).toEqual(["arbitrary-node:update driver team-a/gpu.example.com"]);
    },
  );

  it("checks each driver whose devices are new, changed or gone", async () => {
    const other = { driver: "a.example.com", pool: "p", device: "d" };
    const { asked } = await ask(
      { allocation, devices: [{ ...device, data: { a: 1 } }] },
      { allocation, devices: [device, other] },
      { name: "a" },
      () => true,
    );
    expect(asked.map((text) => text.split("/")[1])).toEqual(["a.example.com", "gpu.example.com"]);
  });

  it("needs no permission for devices of a deallocated claim", async () => {
    const { asked } = await ask({}, { allocation, devices: [device] }, { name: "a" }, () => true);
    expect(asked).toEqual(["update binding /"]);
  });
});
