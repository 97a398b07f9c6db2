// Kubelets' requests for client certificates are approved if their user may have them.

import { expect } from "vitest";
import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import { ClusterRoleBindings, ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";
import {
  CLIENT_USAGES,
  createRequest,
  decide,
  KUBELET_CLIENT,
  KUBELET_SERVING,
  NODE,
  type RequestContent,
} from "#test/stage/certificate-requests.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage, StageUser } from "#test/stage/stage.ts";

const KUBELET = { signerName: KUBELET_CLIENT, usages: CLIENT_USAGES };
const isSigned = ({ status }: CertificateSigningRequest): boolean => Boolean(status?.certificate);
const messageOf = ({ status }: CertificateSigningRequest): string | undefined =>
  status?.conditions?.find(({ type }) => type === "Approved")?.message;
const SELF = "Auto approving self kubelet client certificate after SubjectAccessReview.";
const OTHER = "Auto approving kubelet client certificate after SubjectAccessReview.";

/** Allows a user's group to create requests and these subresources of them. */
async function allow(stage: Stage, user: StageUser, ...subresources: readonly string[]): Promise<void> {
  const name = stage.name("requester");
  const resources = ["", ...subresources].map((part) => ["certificatesigningrequests", part].filter(Boolean).join("/"));
  const rules = [{ apiGroups: ["certificates.k8s.io"], resources, verbs: ["create"] }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  const [group = ""] = user.groups ?? [];
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }];
  if ((await stage.of(ClusterRoles).find(name)) === undefined) {
    await stage.of(ClusterRoles).create({ metadata: { name }, rules });
    await stage.of(ClusterRoleBindings).create({ metadata: { name }, roleRef, subjects });
  } else {
    await stage.of(ClusterRoles).patch(name, { rules });
  }
  await stage.pass(1000); // caches of the authorizer
}

async function ask(
  stage: Stage,
  user: StageUser,
  spec: object = KUBELET,
  content: RequestContent = NODE,
): Promise<string> {
  const name = stage.name("csr");
  await createRequest(stage, name, content, spec, user);
  return name;
}

/** The group has the play in its name, so that the access reviews of plays differ. */
const nodeUser = (stage: Stage): StageUser => ({ name: "system:node:a", groups: [stage.name("requesters")] });
const bootstrapper = (stage: Stage): StageUser => ({ name: "bootstrapper", groups: [stage.name("requesters")] });

async function expectUndecided(stage: Stage, name: string): Promise<void> {
  const { status } = await stage.of(CertificateSigningRequests).get(name);
  expect(status?.conditions ?? []).toEqual([]);
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "certificatesigningrequest-approving-controller",
  { cast: "auth" },
  [
    {
      name: "certificatesigningrequest-approving/2, certificatesigningrequest-approving/4 approves a node's own request",
      async play(stage) {
        const user = nodeUser(stage);
        await allow(stage, user, "selfnodeclient");
        const name = await ask(stage, user);
        const request = await stage.of(CertificateSigningRequests).until(name, isSigned);
        expect(messageOf(request)).toBe(SELF);
        expect(request.status?.conditions?.[0]).toMatchObject({
          type: "Approved",
          status: "True",
          reason: "AutoApproved",
        });
      },
    },
    {
      name: "certificatesigningrequest-approving/2, certificatesigningrequest-approving/3 approves the request of a bootstrapping user",
      async play(stage) {
        const user = bootstrapper(stage);
        await allow(stage, user, "nodeclient");
        const name = await ask(stage, user);
        expect(messageOf(await stage.of(CertificateSigningRequests).until(name, isSigned))).toBe(OTHER);
      },
    },
    {
      name: "certificatesigningrequest-approving/2 tries a node's own request as anybody's",
      async play(stage) {
        const user = nodeUser(stage);
        await allow(stage, user, "nodeclient");
        const name = await ask(stage, user);
        expect(messageOf(await stage.of(CertificateSigningRequests).until(name, isSigned))).toBe(OTHER);
      },
    },
    {
      name: "certificatesigningrequest-approving/5 approves a request after its user was allowed to have it",
      // How often the controller retries depends on time.
      chance: [
        {
          where: /^writes of phase 1 › certificate-controller: subjectaccessreviews refused/,
          reason: "the back-off goes on while roles change",
        },
      ],
      async play(stage) {
        const user = bootstrapper(stage);
        await allow(stage, user);
        const name = await ask(stage, user);
        await stage.pass(1500);
        await expectUndecided(stage, name);
        await allow(stage, user, "nodeclient");
        expect(messageOf(await stage.of(CertificateSigningRequests).until(name, isSigned))).toBe(OTHER);
      },
    },
    {
      name: "certificatesigningrequest-approving/traps approves a request whose user is allowed to have it hours later",
      virtualOnly: "the back-off grows to 1000 seconds",
      async play(stage) {
        const user = bootstrapper(stage);
        await allow(stage, user);
        const name = await ask(stage, user);
        await stage.pass(2 * 3_600_000);
        await expectUndecided(stage, name);
        await allow(stage, user, "nodeclient");
        await stage.pass(1_000_000);
        await stage.of(CertificateSigningRequests).until(name, isSigned);
      },
    },
    {
      name: "certificatesigningrequest-approving/5 leaves requests for serving certificates and for other signers alone",
      async play(stage) {
        const user = bootstrapper(stage);
        await allow(stage, user, "nodeclient", "selfnodeclient");
        const serving = { signerName: KUBELET_SERVING, usages: ["digital signature", "server auth"] };
        const name = await ask(stage, user, serving, { ...NODE, dnsNames: ["a.example.com"] });
        const other = stage.name("other");
        await createRequest(stage, other, NODE, { usages: CLIENT_USAGES }, user);
        await stage.settle();
        await expectUndecided(stage, name);
        await expectUndecided(stage, other);
        await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      },
    },
    {
      name: "certificatesigningrequest-approving/2 leaves requests alone whose subject or usages are not a kubelet's",
      async play(stage) {
        const user = bootstrapper(stage);
        await allow(stage, user, "nodeclient", "selfnodeclient");
        const names = [
          { content: { ...NODE, commonName: "a" } },
          { content: { ...NODE, organizations: ["system:nodes", "more"] } },
          { content: { ...NODE, dnsNames: ["a"] } },
          { content: NODE, usages: ["server auth", "digital signature"] },
        ];
        for (const [i, { content, usages = CLIENT_USAGES }] of names.entries()) {
          await createRequest(stage, stage.name(`csr-${i}`), content, { ...KUBELET, usages }, user);
        }
        await stage.settle();
        for (const i of names.keys()) await expectUndecided(stage, stage.name(`csr-${i}`));
        await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      },
    },
    {
      name: "certificatesigningrequest-approving/1 leaves a denied request alone",
      async play(stage) {
        const user = bootstrapper(stage);
        await allow(stage, user);
        const name = await ask(stage, user);
        await decide(stage, name, "Denied");
        await stage.settle();
        await allow(stage, user, "nodeclient");
        await stage.settle();
        const { status } = await stage.of(CertificateSigningRequests).get(name);
        expect(status?.conditions?.map(({ type }) => type)).toEqual(["Denied"]);
      },
      chance: [
        {
          where: /^writes of phase 1 › certificate-controller: subjectaccessreviews refused/,
          reason: "the controller asks in vain until it sees the denial",
        },
      ],
    },
  ],
);
