// Gives back what is no longer needed. The runtime does so by itself while there is work to do; a process that has
// come to rest would keep what its start has left behind.

/** On Bun: a full collection, some milliseconds long. Node offers none. */
export function freeMemory(): void {
  const { Bun: bun } = globalThis as { Bun?: { gc(isFull: boolean): void } };
  bun?.gc(true);
}
