// What has been decided about a certificate signing request. The status of an approval or a denial does not count.
// Upstream: pkg/controller/certificates/certificate_controller_utils.go

import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";

type Request = Pick<CertificateSigningRequest, "status">;

const has = ({ status }: Request, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type) ?? false;

export const isDecided = (request: Request): boolean => has(request, "Approved") || has(request, "Denied");

export const isApproved = (request: Request): boolean => has(request, "Approved") && !has(request, "Denied");

/** With the status True, or none. */
export const isFailed = ({ status }: Request): boolean =>
  status?.conditions?.some((condition) => condition.type === "Failed" && (condition.status || "True") === "True") ??
  false;
