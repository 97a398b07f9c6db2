// Copies the stable OS and architecture labels of a node to the beta labels.
// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go, labelReconcileInfo.

const PAIRS: readonly (readonly [stable: string, beta: string])[] = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
];

/** The labels that are missing or differ; without a stable label the beta label is not changed. */
export function betaLabelChanges(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const changes: Record<string, string> = {};
  for (const [stable, beta] of PAIRS) {
    const value = labels[stable];
    if (value !== undefined && labels[beta] !== value) changes[beta] = value;
  }
  return changes;
}
