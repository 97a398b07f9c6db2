// The versions of the programs.

/** The version in package.json. */
export const steersmanVersion = "0.1.0";
/** The compatible Kubernetes release. */
export const kubernetesVersion = "v1.36.4";
