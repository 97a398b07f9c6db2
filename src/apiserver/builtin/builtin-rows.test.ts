import { expect, it } from "vitest";
import { NOT_ENFORCED } from "#kinds/admissionregistration/registration-strategy.ts";
import { startTestServer } from "../testing.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] };
const matchConstraints = { resourceRules: [rule] };
const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }];
const clientConfig = { url: "https://example.com" };
const hook = { name: "a.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], clientConfig };

it.each([
  ["validatingadmissionpolicies", { spec: { matchConstraints, validations: [{ expression: "true" }] } }],
  ["validatingadmissionpolicybindings", { spec: { policyName: "p", validationActions: ["Deny"] } }],
  ["mutatingadmissionpolicies", { spec: { matchConstraints, reinvocationPolicy: "Never", mutations } }],
  ["mutatingadmissionpolicybindings", { spec: { policyName: "p" } }],
  ["validatingwebhookconfigurations", { webhooks: [hook] }],
  ["mutatingwebhookconfigurations", { webhooks: [hook] }],
])(
  "machinery/7.4.r1 writes of %s are answered with the warning that nothing enforces them",
  async (resource, content) => {
    const { bytes } = startTestServer();
    const { status, headers, body } = await bytes.post(`${GROUP}/${resource}`, { metadata: { name: "a" }, ...content });
    expect([status, headers.warning]).toEqual([201, [`299 - "${NOT_ENFORCED}"`]]);
    const changed = { ...body, metadata: { ...body.metadata, labels: { a: "b" } } };
    const updated = await bytes.put(`${GROUP}/${resource}/a`, changed);
    expect([updated.status, updated.headers.warning]).toEqual([200, [`299 - "${NOT_ENFORCED}"`]]);
    expect((await bytes.get(`${GROUP}/${resource}/a`)).headers.warning).toBeUndefined();
  },
);
