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
    "How long the answer to a TokenReview is believed.",
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
    "Prefixes of headers in which a front proxy passes more about the user.",
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
    "Go on when that lookup fails; callers may then all be anonymous.",
  ),
];

export const authorization: readonly BoundFlag[] = [
  at(
    "authorization-kubeconfig",
    string,
    "authorization.kubeconfig",
    "Kubeconfig for SubjectAccessReviews. Empty: whatever is not always allowed is forbidden.",
  ),
  at(
    "authorization-webhook-cache-authorized-ttl",
    duration,
    "authorization.allowCacheTtl",
    "How long a permission is believed.",
  ),
  at(
    "authorization-webhook-cache-unauthorized-ttl",
    duration,
    "authorization.denyCacheTtl",
    "How long a refusal is believed.",
  ),
  at(
    "authorization-always-allow-paths",
    strings,
    "authorization.alwaysAllowPaths",
    "Paths that anybody may read. A '*' at the end matches any rest.",
  ),
];
