// Lines whose output may differ on the embedded server: each with its reason and both outputs. A listed line that no
// longer differs fails the test.

export interface KubectlDifference {
  readonly line: string;
  readonly reason: string;
  readonly ours: RegExp;
  readonly theirs: RegExp;
}

const KUBELETS = "there is no way to kubelets, and the server says so instead of trying";
const UNCONNECTED = /is not available, because this API server has no connection to kubelets and containers/;
const REFUSED = /dial tcp 127\.0\.0\.1:1: connect: connection refused/;

export const kubectlDifferences: readonly KubectlDifference[] = [
  {
    line: "kubectl get --raw '/readyz?verbose'",
    reason: "the checks are those of the parts that there are",
    ours: /^\[\+\]storage ok$/m,
    theirs: /^\[\+\]etcd ok$/m,
  },
  {
    line: "kubectl get componentstatuses",
    reason: "there is no etcd, and no other program whose health the server would ask for",
    ours: /^No resources found$/m,
    theirs: /^etcd-0 {2}Healthy/m,
  },
  {
    line: "kubectl explain pods",
    reason: "built-in fields have no descriptions: those of upstream are its prose",
    ours: /<no description>/,
    theirs: /Pod is a collection of containers/,
  },
  { line: "kubectl logs placed", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl exec placed -- ls", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl attach placed", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl cp placed:/etc/hosts hosts", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl cp map.yaml placed:/tmp/x", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
];
