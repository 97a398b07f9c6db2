import { describe, expect, it } from "vitest";
import { ClusterSize } from "./cluster-size.ts";

function grown(size: number): ClusterSize {
  const cluster = new ClusterSize();
  for (let i = 0; i < size; i++) cluster.nodeAdded();
  return cluster;
}

function shrunk(cluster: ClusterSize, by: number): ClusterSize {
  for (let i = 0; i < by; i++) cluster.nodeDeleted();
  return cluster;
}

describe("the TTL by cluster size", () => {
  it.each([
    [0, 0],
    [100, 0],
    [101, 15],
    [500, 15],
    [501, 30],
    [1000, 30],
    [1001, 60],
    [2000, 60],
    [2001, 300],
    [10_000, 300],
  ])("ttl/1 a cluster that grew to %d nodes has %d seconds", (size, ttlSeconds) => {
    expect(grown(size).ttlSeconds).toBe(ttlSeconds);
  });

  it.each([
    [101, 90, 15],
    [101, 89, 0],
    [501, 450, 30],
    [501, 449, 15],
    [1001, 900, 60],
    [1001, 899, 30],
    [2001, 1800, 300],
    [2001, 1799, 60],
    [2001, 0, 0],
  ])("ttl/1 a cluster that shrank from %d to %d nodes has %d seconds", (from, to, ttlSeconds) => {
    expect(shrunk(grown(from), from - to).ttlSeconds).toBe(ttlSeconds);
  });
});
