// kubectl v1.36.4, verb by verb, on the real kube-apiserver and on the embedded one: the same lines must have the same
// exit code and output.

import { expect, it } from "vitest";
import { type KubectlCase, kubectlCases } from "./kubectl-cases.ts";
import { kubectlDifferences } from "./kubectl-differences.ts";
import { kubectlFiles } from "./kubectl-files.ts";
import { normalised } from "./kubectl-normalise.ts";
import { outputOf, sameButKnown } from "./kubectl-outputs.ts";
import { startKubectlStage } from "./kubectl-stage.ts";
import { describeReal, eventually, useForSuite } from "./suite.ts";
import type { Terminal } from "./terminal.ts";

type Outputs = readonly ReturnType<typeof outputOf>[];

/** Waits until discovery and the schemas have the custom kind, which takes the real server a moment. */
async function prepare(terminal: Terminal): Promise<void> {
  const created = await terminal.run("kubectl create -f gadgets.yaml", "default");
  if (created.code !== 0) throw new Error(`${terminal.name}: ${created.stderr}`);
  await eventually(async () => {
    const explained = await terminal.run("kubectl explain gadgets.spec && kubectl get gadgets", "default");
    return explained.code === 0 ? true : undefined;
  });
}

async function play({ lines }: KubectlCase, namespace: string, terminal: Terminal): Promise<Outputs> {
  const opened = await terminal.run(
    `kubectl create namespace ${namespace} && kubectl create serviceaccount default`,
    namespace,
  );
  if (opened.code !== 0) throw new Error(`${terminal.name}: ${opened.stderr}`);
  const outputs = [];
  for (const line of lines) {
    const outcome = await terminal.run(line, namespace);
    outputs.push(outputOf(outcome, (text) => normalised(text, terminal.host, namespace)));
  }
  return outputs;
}

describeReal("kubectl", () => {
  const stage = useForSuite(
    async () => {
      const started = await startKubectlStage(kubectlFiles);
      await Promise.all([prepare(started.embedded), prepare(started.real)]);
      return started;
    },
    (started) => started.close(),
  );

  for (const [index, played] of kubectlCases.entries()) {
    it(`machinery/7.1.n1 ${played.name}`, async () => {
      const { embedded, real } = stage();
      const namespace = `case-${index}`;
      const [ours, theirs] = await Promise.all([play(played, namespace, embedded), play(played, namespace, real)]);
      for (const [at, line] of played.lines.entries()) sameButKnown(line, ours[at], theirs[at], kubectlDifferences);
    }, 300_000);
  }
});

it("kubectl's known differences are about lines that are played", () => {
  const played = new Set(kubectlCases.flatMap(({ lines }) => lines));
  expect(kubectlDifferences.filter(({ line }) => !played.has(line))).toEqual([]);
});
