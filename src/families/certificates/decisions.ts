// The decision about a certificate signing request. The status of an Approved or Denied condition is ignored.
// Upstream: pkg/controller/certificates/certificate_controller_utils.go

import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";

type Request = Pick<CertificateSigningRequest, "status">;

const has = ({ status }: Request, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type) ?? false;

export const isDecided = (request: Request): boolean => has(request, "Approved") || has(request, "Denied");

export const isApproved = (request: Request): boolean => has(request, "Approved") && !has(request, "Denied");

/** With the status True or no status. */
export const isFailed = ({ status }: Request): boolean =>
  status?.conditions?.some((condition) => condition.type === "Failed" && (condition.status || "True") === "True") ??
  false;
