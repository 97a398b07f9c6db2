// Certificate signing requests. Upstream: pkg/registry/certificates/certificates/strategy.go

import type * as certificates from "#api/generated/types/certificates-v1.ts";
import { formatTime } from "#api/time.ts";
import type { Kind } from "#kinds/kind.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, humanDuration, nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { validateRequest, validateRequestUpdate } from "./certificate-signing-request-validation.ts";

type Request = certificates.CertificateSigningRequest;
type RequestCondition = certificates.CertificateSigningRequestCondition;

/** A status update cannot add, remove or change approval decisions. */
function withOldDecisions(
  conditions: readonly RequestCondition[],
  old: readonly RequestCondition[],
): RequestCondition[] {
  const kept = [...conditions];
  for (const decision of ["Approved", "Denied"]) {
    const places = [...kept.keys()].filter((i) => kept[i]?.type === decision);
    const before = old.filter(({ type }) => type === decision);
    if (places.length !== before.length) continue;
    for (const [i, condition] of before.entries()) kept[places[i] ?? 0] = condition;
  }
  return kept;
}

/** A condition whose status did not change keeps its transition time. */
function withTimes(
  conditions: readonly RequestCondition[],
  old: readonly RequestCondition[],
  now: string,
): readonly RequestCondition[] {
  return conditions.map((condition) => {
    const before = old.find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && Boolean(lastTransitionTime),
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime || now,
      lastTransitionTime: condition.lastTransitionTime || (before?.lastTransitionTime ?? now),
    };
  });
}

const conditionsOf = ({ status }: Request): readonly RequestCondition[] => status?.conditions ?? [];

function putConditions(request: Request, conditions: readonly RequestCondition[]): Request {
  return conditions.length === 0 ? request : { ...request, status: { ...request.status, conditions } };
}

const strategy = kindStrategy<Request>({
  resetFields: [["spec"], ["status"]],
  prepareForCreate(request, { user }) {
    const { username: _, uid: __, groups: ___, extra: ____, ...asked } = request.spec;
    const { name, uid, groups, extra } = user;
    const spec = {
      ...asked,
      ...(name === "" ? {} : { username: name }),
      ...(uid ? { uid } : {}),
      ...(groups === undefined || groups.length === 0 ? {} : { groups }),
      ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
    };
    return { ...request, spec, status: {} };
  },
  validate: (request, { keyReader }) => validateRequest(request, undefined, keyReader),
  prepareForUpdate: (request, old) => put(put(request, "spec", old.spec), "status", old.status),
  validateUpdate: (request, old, { keyReader }) => validateRequestUpdate(request, old, "main", keyReader),
  subresources: {
    status: {
      resetFields: [["spec"], ["status", "conditions"]],
      prepareForUpdate(request, old, { now }) {
        const conditions = withOldDecisions(conditionsOf(request), conditionsOf(old));
        return putConditions(put(request, "spec", old.spec), withTimes(conditions, conditionsOf(old), formatTime(now)));
      },
      validateUpdate: (request, old, { keyReader }) => validateRequestUpdate(request, old, "status", keyReader),
    },
    approval: {
      resetFields: [["spec"], ["status", "certificate"]],
      prepareForUpdate(request, old, { now }) {
        const { conditions: _, ...rest } = old.status ?? {};
        const kept = { ...request, spec: old.spec, status: rest };
        return putConditions(kept, withTimes(conditionsOf(request), conditionsOf(old), formatTime(now)));
      },
      validateUpdate: (request, old, { keyReader }) => validateRequestUpdate(request, old, "approval", keyReader),
    },
  },
});

function requestStatus({ status }: Request): string {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) === true;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

export const certificateSigningRequest: Kind<Request> = {
  key: "certificatesigningrequests.certificates.k8s.io",
  strategy,
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  printer: printer<Request>("Name|Age|SignerName|Requestor|RequestedDuration|Condition", (csr, now) => [
    nameOf(csr),
    ageOf(csr, now),
    orNone(csr.spec?.signerName),
    csr.spec?.username ?? "",
    csr.spec?.expirationSeconds === undefined ? "<none>" : humanDuration(csr.spec.expirationSeconds * 1000),
    requestStatus(csr),
  ]),
};
