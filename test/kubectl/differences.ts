// Lines whose output may differ on the cluster of `steersman up`: each with its reason and both outputs. A listed line
// that no longer differs fails the test.

import type { KubectlDifference } from "#test/real/kubectl-differences.ts";

const KUBELETS =
  "the embedded server refuses what only a container could answer, and names the pod; the real one passes on a kubelet's refusal";
const OURS = /"web": (exec|attach|portforward) is not available, because pods of this cluster are simulated/;
const THEIRS = /unable to upgrade connection: pods of this cluster are simulated/;

export const clusterDifferences: readonly KubectlDifference[] = [
  {
    line: "kubectl get serviceaccounts -A --no-headers | awk '{print $1, $2}'",
    reason: "the controllers of one process need no tokens, and so no service accounts to ask tokens for",
    ours: /^kube-system default$/m,
    theirs: /^kube-system deployment-controller$/m,
  },
  { line: "kubectl exec web -- ls", reason: KUBELETS, ours: OURS, theirs: THEIRS },
  { line: "kubectl attach web", reason: KUBELETS, ours: OURS, theirs: THEIRS },
  { line: "kubectl cp web:/etc/hosts hosts", reason: KUBELETS, ours: OURS, theirs: THEIRS },
  {
    line: "timeout 20 kubectl port-forward pod/web 0:80 2>&1 | grep -v Forwarding",
    reason: KUBELETS,
    ours: OURS,
    theirs: THEIRS,
  },
];
