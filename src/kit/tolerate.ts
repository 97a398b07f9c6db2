// Tolerates errors that mean a call is no longer needed: the object is gone, or another client was faster.

type IsFine = (error: unknown) => boolean;

/** The result of the call, or undefined when it failed with an error that one of the predicates accepts. */
export async function tolerate<T>(call: Promise<T>, ...fine: readonly IsFine[]): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (fine.some((isFine) => isFine(error))) return undefined;
    throw error;
  }
}
