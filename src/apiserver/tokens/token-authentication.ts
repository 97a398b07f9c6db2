// Whose bearer token is it? Asked by every request that carries one, and by token reviews.
// Upstream: k8s.io/apiserver/pkg/authentication/token/union and request/bearertoken

import type { UserInfo } from "#api/user-info.ts";

export interface TokenQuestion {
  /** Whom the token must be meant for; absent: the server itself. */
  readonly audiences?: readonly string[];
  addWarning(text: string): void;
}

export interface Authenticated {
  readonly user: UserInfo;
  /** Those of the question that the token is meant for. */
  readonly audiences: readonly string[];
}

export interface TokenAuthenticator {
  /** Undefined: not one of its tokens. Throws a TokenRefused for one of its own that does not count. */
  authenticate(
    token: string,
    question: TokenQuestion,
    signal: AbortSignal,
  ): Authenticated | undefined | Promise<Authenticated | undefined>;
}

export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

export interface TokenSources {
  /** Users by token. */
  readonly staticTokens?: ReadonlyMap<string, UserInfo>;
  /** Asked in order. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  /** Whom tokens without audiences are meant for. */
  readonly audiences?: readonly string[];
}

export type TokenAnswer = Authenticated | { readonly problems: readonly string[] };

export const isAuthenticated = (answer: TokenAnswer): answer is Authenticated => "user" in answer;

export async function authenticateToken(
  { staticTokens, tokenAuthenticators = [], audiences: ownAudiences = [] }: TokenSources,
  token: string,
  question: TokenQuestion,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const known = staticTokens?.get(token);
  if (known !== undefined) {
    const { audiences } = question;
    if (audiences === undefined) return { user: known, audiences: [] };
    const shared = audiences.length === 0 ? [] : ownAudiences.filter((each) => audiences.includes(each));
    if (shared.length > 0 || audiences.length === 0) return { user: known, audiences: shared };
  }
  const problems: string[] = [];
  for (const authenticator of tokenAuthenticators) {
    try {
      const answer = await authenticator.authenticate(token, question, signal);
      if (answer !== undefined) return answer;
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      problems.push(error.message);
    }
  }
  return { problems };
}
