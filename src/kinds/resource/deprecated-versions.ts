// What requests of older versions are answered with. Upstream: k8s.io/api/resource/*/zz_generated.prerelease-lifecycle.go

const warning = (version: string, kind: string, deprecated: string, removed: string): string =>
  `resource.k8s.io/${version} ${kind} is deprecated in v${deprecated}+, unavailable in v${removed}+`;

/** Of kinds that are served as v1. */
export const betaWarnings = (kind: string): Readonly<Record<string, string>> => ({
  v1beta1: warning("v1beta1", kind, "1.35", "1.38"),
  v1beta2: warning("v1beta2", kind, "1.36", "1.39"),
});

export const alphaWarnings = (kind: string): Readonly<Record<string, string>> => ({
  v1alpha3: warning("v1alpha3", kind, "1.36", "1.39"),
});
