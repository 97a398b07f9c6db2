// Flags of authentication and authorization on the HTTPS port.

import { bool, duration, string, strings } from "../../flags/flag-types.ts";
import { at, type BoundFlag } from "./bound-flag.ts";

export const authentication: readonly BoundFlag[] = [
  at(
    "authentication-kubeconfig",
    string,
    "authentication.kubeconfig",
    "Kubeconfig for TokenReviews and for looking up the cluster's client CA. Empty: tokens are not checked and callers are anonymous.",
  ),
  at(
    "authentication-token-webhook-cache-ttl",
    duration,
    "authentication.tokenCacheTtl",
    "How long the answer to a TokenReview is cached.",
  ),
  at(
    "client-ca-file",
    string,
    "authentication.clientCaFile",
    "CA bundle for client certificates. Common name becomes the user, organisations the groups.",
  ),
  at(
    "requestheader-username-headers",
    strings,
    "authentication.requestHeader.usernameHeaders",
    "Headers in which a front proxy passes the user name.",
  ),
  at(
    "requestheader-uid-headers",
    strings,
    "authentication.requestHeader.uidHeaders",
    "Headers in which a front proxy passes the user's UID.",
  ),
  at(
    "requestheader-group-headers",
    strings,
    "authentication.requestHeader.groupHeaders",
    "Headers in which a front proxy passes the groups.",
  ),
  at(
    "requestheader-extra-headers-prefix",
    strings,
    "authentication.requestHeader.extraHeaderPrefixes",
    "Prefixes of headers in which a front proxy passes extra user information.",
  ),
  at(
    "requestheader-client-ca-file",
    string,
    "authentication.requestHeader.clientCaFile",
    "CA bundle for the certificates of front proxies. Do not trust it for anything else.",
  ),
  at(
    "requestheader-allowed-names",
    strings,
    "authentication.requestHeader.allowedNames",
    "Common names that a front proxy's certificate may have. Empty: any.",
  ),
  at(
    "authentication-skip-lookup",
    bool,
    "authentication.skipLookup",
    "Do not look up missing authentication settings in the cluster.",
  ),
  at(
    "authentication-tolerate-lookup-failure",
    bool,
    "authentication.tolerateLookupFailure",
    "Continue when that lookup fails; all callers may then be anonymous.",
  ),
];

export const authorization: readonly BoundFlag[] = [
  at(
    "authorization-kubeconfig",
    string,
    "authorization.kubeconfig",
    "Kubeconfig for SubjectAccessReviews. Empty: only the paths that are always allowed can be read.",
  ),
  at(
    "authorization-webhook-cache-authorized-ttl",
    duration,
    "authorization.allowCacheTtl",
    "How long an authorized answer is cached.",
  ),
  at(
    "authorization-webhook-cache-unauthorized-ttl",
    duration,
    "authorization.denyCacheTtl",
    "How long an unauthorized answer is cached.",
  ),
  at(
    "authorization-always-allow-paths",
    strings,
    "authorization.alwaysAllowPaths",
    "Paths that need no authorization. A '*' at the end matches any suffix.",
  ),
];
