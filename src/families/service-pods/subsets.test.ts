import { describe, expect, it } from "vitest";
import type { EndpointAddress, EndpointSubset } from "#api/generated/types/core-v1.ts";
import { repackSubsets } from "./subsets.ts";

const address = (ip: string, uid?: string): EndpointAddress =>
  uid === undefined ? { ip } : { ip, targetRef: { kind: "Pod", uid } };
const [a, b] = [address("1.2.3.4"), address("5.6.7.8")];
const http = { name: "http", port: 80 };
const dns = { name: "dns", port: 53 };

function textOf(subsets: readonly EndpointSubset[]): readonly string[] {
  const of = (list: readonly EndpointAddress[] = []): string =>
    list.map(({ ip, targetRef }) => ip + (targetRef ? `/${targetRef.uid}` : "")).join(" ");
  return subsets
    .map(({ addresses, notReadyAddresses, ports = [] }) => {
      const names = ports.map(({ name, port }) => name ?? port).toSorted();
      return `${of(addresses)} | ${of(notReadyAddresses)} | ${names}`;
    })
    .toSorted();
}

describe("endpoints/9, endpoints/traps, endpoints/tests subsets in canonical form", () => {
  it.each<readonly [string, readonly EndpointSubset[], readonly string[]]>([
    ["nothing", [], []],
    ["ports without addresses go", [{ ports: [http] }], []],
    ["addresses without ports stay", [{ addresses: [a] }], ["1.2.3.4 |  | "]],
    ["equal addresses are one", [{ addresses: [a, a], ports: [http] }], ["1.2.3.4 |  | http"]],
    [
      "one address of two pods is two",
      [{ addresses: [address("1.2.3.4", "u2"), address("1.2.3.4", "u1"), a], ports: [http] }],
      ["1.2.3.4 1.2.3.4/u1 1.2.3.4/u2 |  | http"],
    ],
    [
      "ports of the same addresses share a subset",
      [
        { addresses: [a], ports: [http] },
        { addresses: [a], ports: [dns] },
      ],
      ["1.2.3.4 |  | dns,http"],
    ],
    [
      "addresses of the same port share a subset, in order",
      [
        { addresses: [b], ports: [http] },
        { addresses: [a], ports: [http] },
      ],
      ["1.2.3.4 5.6.7.8 |  | http"],
    ],
    [
      "ready and unready at one port share a subset",
      [
        { addresses: [a], ports: [http] },
        { notReadyAddresses: [b], ports: [http] },
      ],
      ["1.2.3.4 | 5.6.7.8 | http"],
    ],
    [
      "not ready counts more than ready",
      [
        { addresses: [a], ports: [http] },
        { notReadyAddresses: [a], ports: [http] },
        { addresses: [a], ports: [http] },
      ],
      [" | 1.2.3.4 | http"],
    ],
    [
      "an address that is ready at one port only is in two subsets",
      [
        { addresses: [a, b], ports: [http] },
        { addresses: [b], notReadyAddresses: [a], ports: [dns] },
      ],
      ["1.2.3.4 5.6.7.8 |  | http", "5.6.7.8 | 1.2.3.4 | dns"],
    ],
    [
      "ports with application protocols of two subsets are two",
      [
        { addresses: [a], ports: [{ ...http, appProtocol: "h2c" }] },
        { addresses: [b], ports: [{ ...http, appProtocol: "h2c" }] },
      ],
      ["1.2.3.4 |  | http", "5.6.7.8 |  | http"],
    ],
  ])("%s", (_, subsets, expected) => {
    expect(textOf(repackSubsets(subsets))).toEqual(expected);
    expect(repackSubsets(repackSubsets(subsets))).toEqual(repackSubsets(subsets));
  });
});
