// The fields of a user in reviews. Upstream: pkg/apis/authentication, UserInfo

import type { UserInfo } from "#api/user-info.ts";

export function userFields({ name, uid, groups, extra }: UserInfo): unknown {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}
