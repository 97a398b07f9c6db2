// Authenticates bearer tokens, for every request with one and for token reviews.
// Upstream: k8s.io/apiserver/pkg/authentication/token/union and request/bearertoken

import type { UserInfo } from "#api/user-info.ts";

export interface TokenQuestion {
  /** The required audiences of the token; absent: the server's. */
  readonly audiences?: readonly string[];
  addWarning(text: string): void;
}

export interface Authenticated {
  readonly user: UserInfo;
  /** The requested audiences that the token has. */
  readonly audiences: readonly string[];
}

export interface TokenAuthenticator {
  /** Undefined: not a token of this authenticator. Throws a TokenRefused for an invalid one. */
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
  /** Called in order. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  /** The audiences of tokens without any. */
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
