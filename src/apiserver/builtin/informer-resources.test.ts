// All resources that kube-controller-manager watches at default gates must be served, or its controllers never start.

import { expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { startTestServer } from "../testing.ts";

const WATCHED: Readonly<Record<string, string>> = {
  v1: "pods nodes namespaces services endpoints configmaps secrets serviceaccounts persistentvolumes persistentvolumeclaims replicationcontrollers resourcequotas",
  "apps/v1": "deployments replicasets statefulsets daemonsets controllerrevisions",
  "batch/v1": "jobs cronjobs",
  "autoscaling/v2": "horizontalpodautoscalers",
  "policy/v1": "poddisruptionbudgets",
  "discovery.k8s.io/v1": "endpointslices",
  "certificates.k8s.io/v1": "certificatesigningrequests",
  "coordination.k8s.io/v1": "leases",
  "networking.k8s.io/v1": "servicecidrs ipaddresses",
  "rbac.authorization.k8s.io/v1": "clusterroles",
  "storage.k8s.io/v1": "storageclasses volumeattachments csidrivers csinodes volumeattributesclasses",
  "resource.k8s.io/v1": "resourceclaims resourceclaimtemplates resourceslices deviceclasses",
  "admissionregistration.k8s.io/v1": "validatingadmissionpolicies",
};

it("machinery/7.2.n1 all resources that the controllers watch can be listed and watched at default gates", async () => {
  const { bytes, server } = startTestServer({ gates: new FeatureGates(featureGateTable(), "1.36") });
  for (const [apiVersion, resources] of Object.entries(WATCHED)) {
    const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    for (const resource of resources.split(" ")) {
      expect([resource, (await bytes.get(`${root}/${resource}`)).status]).toEqual([resource, 200]);
      const [group = "", version = ""] = apiVersion === "v1" ? ["", "v1"] : apiVersion.split("/");
      expect(server.registry.endpoint(group, version, resource)?.version.verbs).toContain("watch");
      const metadata = await bytes.get(`${root}/${resource}`, {
        accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      });
      expect(metadata.body.kind).toBe("PartialObjectMetadataList");
    }
  }
});
