// How soon the runtime compiles code. Code that runs at startup mostly runs once, and compiling it took a third of the
// startup time. The compiled manager therefore starts with a high threshold (tools/build.ts), until compileAtWill is
// called.

interface Runtime {
  readonly Bun?: { readonly unsafe: { setJITPolicy?(reluctance: number): void } };
}

/** Restores Bun's default threshold. Node has no such setting. */
export function compileAtWill({ Bun }: Runtime = globalThis as Runtime): void {
  Bun?.unsafe.setJITPolicy?.(1);
}
