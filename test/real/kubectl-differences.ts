// Lines that print something else on the embedded server and may: each with its reason, and with what either of both says.
// One that is listed and no longer differs fails the test.

export interface KubectlDifference {
  readonly line: string;
  readonly reason: string;
  readonly ours: RegExp;
  readonly theirs: RegExp;
}

const JOBS = "jobs are checked by their schema alone, so that no selector is made for them";
const REQUESTS = "certificate requests are checked by their schema alone: nobody looks into them or notes who asks";
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
  {
    line: "kubectl get deploy,rs,jobs,cj,ing,pdb -o wide",
    reason: JOBS,
    ours: /job\.batch\/j .* <none>$/m,
    theirs: /job\.batch\/j .* batch\.kubernetes\.io\/controller-uid=<uid>$/m,
  },
  { line: "kubectl get job j -o yaml", reason: JOBS, ours: /metadata: \{\}/, theirs: /controller-uid: <uid>/ },
  { line: "kubectl describe job j", reason: JOBS, ours: /Labels: +<none>/, theirs: /controller-uid=<uid>/ },
  {
    line: "kubectl create -f bad-csr.yaml",
    reason: REQUESTS,
    ours: /bad created/,
    theirs: /PEM block type must be CERTIFICATE REQUEST/,
  },
  { line: "kubectl get csr wanted", reason: REQUESTS, ours: /example\.com\/signer {2}<none>/, theirs: /test-admin/ },
  { line: "kubectl describe csr wanted", reason: REQUESTS, ours: /Requesting User:$/m, theirs: /test-admin/ },
  { line: "kubectl logs placed", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl exec placed -- ls", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl attach placed", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl cp placed:/etc/hosts hosts", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
  { line: "kubectl cp map.yaml placed:/tmp/x", reason: KUBELETS, ours: UNCONNECTED, theirs: REFUSED },
];
