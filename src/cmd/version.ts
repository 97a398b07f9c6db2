// What the programs say they are.

/** The version in package.json. */
export const steersmanVersion = "0.1.0";
/** The Kubernetes release whose behaviour is kept. */
export const kubernetesVersion = "v1.36.4";
