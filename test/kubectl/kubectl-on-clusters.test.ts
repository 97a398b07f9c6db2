// kubectl v1.36.4 on `steersman up` and on the real control plane with Go's manager and scheduler: the same lines must
// have the same exit code and output.

import { expect, it } from "vitest";
import type { KubectlCase } from "#test/real/kubectl-cases.ts";
import { outputOf, sameButKnown } from "#test/real/kubectl-outputs.ts";
import { describeReal, useForSuite } from "#test/real/suite.ts";
import type { Terminal } from "#test/real/terminal.ts";
import { clusterCases } from "./cluster-cases.ts";
import { startClusters } from "./clusters.ts";
import { clusterDifferences } from "./differences.ts";
import { files } from "./files.ts";
import { normalisedOfCluster } from "./normalise.ts";

type Outputs = readonly ReturnType<typeof outputOf>[];

async function play({ lines }: KubectlCase, namespace: string, terminal: Terminal): Promise<Outputs> {
  const open = `kubectl create namespace ${namespace} && ./until.sh 'kubectl get sa,cm -o name' / 2`;
  const opened = await terminal.run(open, namespace);
  if (opened.code !== 0) throw new Error(`${terminal.name}: ${opened.stderr}`);
  const outputs = [];
  for (const line of lines) {
    const outcome = await terminal.run(line, namespace);
    outputs.push(outputOf(outcome, (text) => normalisedOfCluster(text, terminal.host, namespace)));
  }
  // The remaining objects would affect the next case, because nodes are shared.
  await terminal.run(`kubectl delete namespace ${namespace}`, "default");
  return outputs;
}

describeReal("kubectl on whole clusters", () => {
  const clusters = useForSuite(
    () => startClusters(files),
    (started) => started.close(),
  );

  for (const [index, played] of clusterCases.entries()) {
    it(played.name, async () => {
      const { ours, real } = clusters();
      const namespace = `case-${index}`;
      const [our, their] = await Promise.all([play(played, namespace, ours), play(played, namespace, real)]);
      for (const [at, line] of played.lines.entries()) sameButKnown(line, our[at], their[at], clusterDifferences);
    }, 600_000);
  }
});

it("the known differences are about lines that are played", () => {
  const lines = new Set(clusterCases.flatMap((each) => each.lines));
  expect(clusterDifferences.filter(({ line }) => !lines.has(line))).toEqual([]);
});
