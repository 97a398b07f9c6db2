// Token requests: posted to the token subresource of service accounts, never stored.
// Upstream: pkg/apis/authentication/v1/defaults.go

import { inner, nil, type Rule } from "#kinds/parts/defaulting.ts";

export const tokenRequestDefaults: Rule = inner("spec", nil({ expirationSeconds: 3600 }));
