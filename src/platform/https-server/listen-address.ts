// Which address to listen on for the one that was asked for.
// Upstream: net/ipsock_posix.go, favoriteAddrFamily.

const ANY_IPV4 = "0.0.0.0";
const ANY = "::";
/** What no other address would mend. */
const FINAL_CODES: ReadonlySet<string> = new Set(["EADDRINUSE", "EACCES"]);

/** The unspecified address of IPv4 means both families, where the machine has both. */
export async function listenAsGo<T>(bindAddress: string, listen: (host: string) => Promise<T>): Promise<T> {
  if (bindAddress !== ANY_IPV4) return await listen(bindAddress);
  try {
    return await listen(ANY);
  } catch (error) {
    // Bun gives no code to the error of a machine without IPv6.
    if (FINAL_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return await listen(ANY_IPV4);
  }
}
