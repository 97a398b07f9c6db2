// Syncs one undecided request: recognizes it, checks the permission of its user, and approves it.
// Upstream: pkg/controller/certificates/approver/sarapprove.go, handle

import { SubjectAccessReviews } from "#api/generated/resources/authorization-v1.ts";
import type { SubjectAccessReview } from "#api/generated/types/authorization-v1.ts";
import type { CertificateSigningRequestCondition } from "#api/generated/types/certificates-v1.ts";
import type { Client, ResourceClient } from "#client/client.ts";
import { isDecided } from "#families/certificates/decisions.ts";
import { contentOf } from "#families/certificates/request-content.ts";
import type { StoredRequest } from "#families/certificates/request-workers.ts";
import { backOff, done, type SyncResult } from "#kit/worker-loop.ts";
import { type Recognizer, recognizersOf } from "./recognizers.ts";

export interface Deps {
  readonly client: Client;
  readonly requestsApi: ResourceClient<StoredRequest>;
}

export async function approve(request: StoredRequest, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  if (isDecided(request)) return done;
  const recognizers = recognizersOf(request, contentOf(request));
  for (const recognizer of recognizers) {
    if (!(await isAllowed(request, recognizer, deps, signal))) continue;
    await deps.requestsApi.updateSubresource(
      { name: request.metadata.name, subresource: "approval", object: approved(request, recognizer.message) },
      signal,
    );
    return done;
  }
  if (recognizers.length === 0) return done;
  const tried = recognizers.map(({ permission }) => permission).join(" ");
  return backOff(
    `recognized csr ${JSON.stringify(request.metadata.name)} as [${tried}] but subject access review was not approved`,
  );
}

async function isAllowed(
  { spec }: StoredRequest,
  { permission }: Recognizer,
  { client }: Deps,
  signal: AbortSignal,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec;
  const review: SubjectAccessReview = {
    spec: {
      ...(username ? { user: username } : {}),
      ...(uid ? { uid } : {}),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      resourceAttributes: {
        group: "certificates.k8s.io",
        resource: "certificatesigningrequests",
        verb: "create",
        subresource: permission,
        version: "*",
      },
    },
  };
  const { status } = await client.resource(SubjectAccessReviews).create({ object: review }, signal);
  return status?.allowed === true;
}

/** The server fills in the times. */
function approved(request: StoredRequest, message: string): StoredRequest {
  const approval: CertificateSigningRequestCondition = {
    type: "Approved",
    status: "True",
    reason: "AutoApproved",
    message,
  };
  const conditions = [...(request.status?.conditions ?? []), approval];
  return { ...request, status: { ...request.status, conditions } };
}
