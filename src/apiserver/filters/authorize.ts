// Authorizes the request. Upstream: k8s.io/apiserver/pkg/endpoints/filters/authorization.go

import { type Authorizer, forbidden } from "../authorization.ts";
import type { Filter } from "../request-context.ts";

export function authorize(authorizer: Authorizer): Filter {
  return (next) => async (context, signal) => {
    const attributes = { user: context.user, info: context.info };
    let decision = authorizer.authorize(attributes, signal);
    if (decision instanceof Promise) decision = await decision;
    if (!decision.isAllowed) throw forbidden(attributes, decision.reason);
    return next(context, signal);
  };
}
