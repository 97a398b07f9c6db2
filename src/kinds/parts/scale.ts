// The fields of workloads that their Scale shows.

import { selectorFromObject } from "#api/label-selector.ts";
import type { LabelSelector } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import type { ScalePaths } from "#kinds/hooks.ts";

export const REPLICAS: Pick<ScalePaths, "specReplicas" | "statusReplicas"> = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
};

interface Selecting extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector };
}

export const scaleBySelector: ScalePaths = {
  ...REPLICAS,
  selector: (object) => selectorFromObject((object as Selecting).spec?.selector).toString(),
};
