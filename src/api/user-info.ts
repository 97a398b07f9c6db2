// The authenticated user of a request. Upstream: k8s.io/apiserver/pkg/authentication/user

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
