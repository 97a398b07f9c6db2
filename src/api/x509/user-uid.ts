// The UID of a user whose client certificate has UIDs in its subject.
// Upstream: apiserver/pkg/authentication/request/x509/x509.go, parseUIDFromCert

export interface UserUid {
  /** Absent when the subject has none. */
  readonly uid?: string;
  /** Why the certificate is refused. */
  readonly problem?: string;
}

export function userUidOf(uids: readonly string[]): UserUid {
  const [uid] = uids;
  if (uid === undefined) return {};
  if (uids.length > 1) return { problem: `expected 1 UID, but found multiple: [${uids.join(" ")}]` };
  return uid === "" ? { problem: "UID cannot be an empty string" } : { uid };
}
