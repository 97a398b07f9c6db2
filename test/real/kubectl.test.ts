// kubectl v1.36.4, verb by verb, on the real kube-apiserver and on the embedded one: the same lines must end with the same
// exit code and print the same.

import { expect, it } from "vitest";
import { type KubectlCase, kubectlCases } from "./kubectl-cases.ts";
import { kubectlDifferences } from "./kubectl-differences.ts";
import { kubectlFiles } from "./kubectl-files.ts";
import { normalised } from "./kubectl-normalise.ts";
import { startKubectlStage, type Terminal } from "./kubectl-stage.ts";
import { describeReal, eventually, useForSuite } from "./suite.ts";

interface Output {
  readonly code: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** The custom kind is there when discovery and the schemas know it, which the real server takes a moment for. */
async function prepare(terminal: Terminal): Promise<void> {
  const created = await terminal.run("kubectl create -f gadgets.yaml", "default");
  if (created.code !== 0) throw new Error(`${terminal.name}: ${created.stderr}`);
  await eventually(async () => {
    const explained = await terminal.run("kubectl explain gadgets.spec && kubectl get gadgets", "default");
    return explained.code === 0 ? true : undefined;
  });
}

async function play({ lines }: KubectlCase, namespace: string, terminal: Terminal): Promise<readonly Output[]> {
  const opened = await terminal.run(
    `kubectl create namespace ${namespace} && kubectl create serviceaccount default`,
    namespace,
  );
  if (opened.code !== 0) throw new Error(`${terminal.name}: ${opened.stderr}`);
  const outputs: Output[] = [];
  for (const line of lines) {
    const { code, stdout, stderr } = await terminal.run(line, namespace);
    const linesOf = (text: string): string[] => normalised(text, terminal.host, namespace).split("\n");
    outputs.push({ code, stdout: linesOf(stdout), stderr: linesOf(stderr) });
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
      for (const [at, line] of played.lines.entries()) {
        const known = kubectlDifferences.find((difference) => difference.line === line);
        const [our, their] = [ours[at], theirs[at]];
        if (known === undefined) expect({ line, ...our }).toEqual({ line, ...their });
        else {
          expect(JSON.stringify(our), line).not.toBe(JSON.stringify(their));
          expect(textOf(our), line).toMatch(known.ours);
          expect(textOf(their), line).toMatch(known.theirs);
        }
      }
    }, 300_000);
  }
});

it("kubectl's known differences are about lines that are played", () => {
  const played = new Set(kubectlCases.flatMap(({ lines }) => lines));
  expect(kubectlDifferences.filter(({ line }) => !played.has(line))).toEqual([]);
});

function textOf(output: Output | undefined): string {
  return [...(output?.stdout ?? []), ...(output?.stderr ?? [])].join("\n");
}
