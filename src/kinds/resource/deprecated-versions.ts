// Deprecation warnings of older versions of resource.k8s.io.

import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";

/** For kinds that have v1. */
export const betaWarnings = (kind: string): Readonly<Record<string, string>> =>
  deprecatedVersions("resource.k8s.io", kind, { v1beta1: [35, 38], v1beta2: [36, 39] });

export const alphaWarnings = (kind: string): Readonly<Record<string, string>> =>
  deprecatedVersions("resource.k8s.io", kind, { v1alpha3: [36, 39] });
