// Chooses the address to listen on for a bind address.
// Upstream: net/ipsock_posix.go, favoriteAddrFamily.

const ANY_IPV4 = "0.0.0.0";
const ANY = "::";
/** Errors that another address would not avoid. */
const FINAL_CODES: ReadonlySet<string> = new Set(["EADDRINUSE", "EACCES"]);

/** The unspecified IPv4 address means both families, if the machine has both. */
export async function listenAsGo<T>(bindAddress: string, listen: (host: string) => Promise<T>): Promise<T> {
  if (bindAddress !== ANY_IPV4) return await listen(bindAddress);
  try {
    return await listen(ANY);
  } catch (error) {
    // On a machine without IPv6, Bun's error has no code.
    if (FINAL_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return await listen(ANY_IPV4);
  }
}
