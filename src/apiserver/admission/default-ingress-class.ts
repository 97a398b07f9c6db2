// An ingress without a class gets the default class.
// Upstream: plugin/pkg/admission/network/defaultingressclass

import type { Ingress, IngressClass } from "#api/generated/types/networking-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { StoredCluster } from "#api/resource.ts";
import { newestDefault } from "#rules/default-class.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { ServerCore } from "../core.ts";

const GROUP = "networking.k8s.io";

export function defaultIngressClass(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "DefaultIngressClass",
    handles: ({ operation, resource, subresource }) =>
      operation === "CREATE" && subresource === "" && resource.group === GROUP && resource.resource === "ingresses",
    admit(attributes) {
      const ingress = attributes.object as Ingress;
      const annotation = ingress.metadata?.annotations?.["kubernetes.io/ingress.class"];
      if (ingress.spec?.ingressClassName !== undefined || annotation !== undefined) return;
      const classes = [...core().kindServer.objects(`ingressclasses.${GROUP}`).list()].map(
        ({ object }) => object as StoredCluster<IngressClass>,
      );
      const ingressClassName = newestDefault(classes, ["ingressclass.kubernetes.io/is-default-class"])?.metadata.name;
      if (ingressClassName === undefined) return;
      attributes.object = { ...ingress, spec: { ...ingress.spec, ingressClassName } } as KubeObject;
    },
  };
}
