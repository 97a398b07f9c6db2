// How soon the runtime compiles what it runs. What a start runs it mostly runs once, and compiling it was a third of what a
// start cost; so the compiled manager begins reluctantly (tools/build.ts), until this says otherwise.

interface Runtime {
  readonly Bun?: { readonly unsafe: { setJITPolicy?(reluctance: number): void } };
}

/** From now on as soon as it likes. Node has no such dial, and is as eager as ever. */
export function compileAtWill({ Bun }: Runtime = globalThis as Runtime): void {
  Bun?.unsafe.setJITPolicy?.(1);
}
