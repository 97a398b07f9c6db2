// Objects can be created only in namespaces that exist and are not terminating. Some namespaces cannot be deleted.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go

import type { KubeObject } from "#api/object.ts";
import { ApiError, newForbidden, newNotFound } from "#api/status-error.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";

const IMMORTAL: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

export function namespaceLifecycle(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    handles: ({ operation }) => operation !== "CONNECT",
    admit(attributes) {
      const { operation, resource, kind, namespace, name } = attributes;
      const isNamespace = kind.group === "" && kind.kind === "Namespace";
      if (isNamespace) {
        if (operation === "DELETE" && IMMORTAL.has(name)) {
          throw newForbidden(resource, name, "this namespace may not be deleted");
        }
        return;
      }
      if (namespace === "" || operation === "DELETE" || resource.resource === "localsubjectaccessreviews") return;
      const found = namespaceObject(core(), namespace);
      if (found === undefined) throw newNotFound({ group: "", resource: "namespaces" }, namespace);
      if (operation === "CREATE" && found.status?.phase === "Terminating") throw terminating(attributes);
    },
  };
}

function namespaceObject(core: ServerCore, name: string): (KubeObject & { status?: { phase?: string } }) | undefined {
  const row = core.registry.row("namespaces");
  return row && core.tableOf(row).get(name)?.object;
}

function terminating(attributes: AdmissionAttributes): ApiError {
  const { namespace } = attributes;
  const what = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = admissionForbidden(attributes, what);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new ApiError({ ...status, details: { ...status.details, causes: [cause] } });
}
