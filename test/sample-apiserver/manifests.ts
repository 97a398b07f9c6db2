// The objects that an administrator creates for an aggregated API server: namespace, service account, roles, Service
// and APIServices.

const GROUP = "wardle.example.com";
const RBAC = "rbac.authorization.k8s.io";
const account = { kind: "ServiceAccount", name: "apiserver", namespace: "wardle" };
const READ = ["get", "list", "watch"];

const rules = [
  { apiGroups: [""], resources: ["namespaces"], verbs: READ },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: [
      "mutatingadmissionpolicies",
      "mutatingadmissionpolicybindings",
      "mutatingwebhookconfigurations",
      "validatingadmissionpolicies",
      "validatingadmissionpolicybindings",
      "validatingwebhookconfigurations",
    ],
    verbs: READ,
  },
  {
    apiGroups: ["flowcontrol.apiserver.k8s.io"],
    resources: ["flowschemas", "prioritylevelconfigurations"],
    verbs: READ,
  },
];

const binding = (name: string, role: string): object => ({
  apiVersion: `${RBAC}/v1`,
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
  subjects: [account],
});

/** A Service of type ExternalName: endpoints may not be on loopback, where the server of the test runs. */
export function manifests({ port, caBundle }: { port: number; caBundle: string }): object {
  const apiService = (version: string, versionPriority: number): object => ({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${GROUP}` },
    spec: {
      group: GROUP,
      version,
      groupPriorityMinimum: 1000,
      versionPriority,
      service: { namespace: "wardle", name: "api", port },
      caBundle,
    },
  });
  const items = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "wardle" } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "apiserver", namespace: "wardle" } },
    { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata: { name: "sample-apiserver" }, rules },
    binding("sample-apiserver", "sample-apiserver"),
    binding("sample-apiserver:auth-delegator", "system:auth-delegator"),
    {
      apiVersion: `${RBAC}/v1`,
      kind: "RoleBinding",
      metadata: { name: "sample-apiserver", namespace: "kube-system" },
      roleRef: { apiGroup: RBAC, kind: "Role", name: "extension-apiserver-authentication-reader" },
      subjects: [account],
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "api", namespace: "wardle" },
      spec: { type: "ExternalName", externalName: "127.0.0.1" },
    },
    apiService("v1alpha1", 15),
    apiService("v1beta1", 20),
  ];
  return { apiVersion: "v1", kind: "List", items };
}
