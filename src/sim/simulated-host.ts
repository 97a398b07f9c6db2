// A host in memory: files that a scenario writes, one key for all private keys, and only UTC unless zones are given.
// The composition root provides cryptography, which must be synchronous.

import type { TokenKeys } from "#apiserver/tokens/account-tokens.ts";
import { type Files, type Host, type Keys, noKeys } from "#base/host.ts";
import { type TimeZones, UTC_ONLY } from "#base/time-zones.ts";

export interface SimulatedHostOptions {
  /** Every text is parsed as this private key. */
  readonly tokenKeys: TokenKeys;
  readonly timeZones?: TimeZones;
  /** For certificates; none unless given. */
  readonly keys?: Keys;
}

export class SimulatedHost implements Host {
  readonly files: Files;
  readonly keys: Keys;
  readonly timeZones: TimeZones;
  readonly apiServerCa = "";
  readonly #texts = new Map<string, string>();
  readonly #watches = new Set<{ readonly paths: readonly string[]; readonly onChange: () => void }>();

  constructor({ tokenKeys, timeZones = UTC_ONLY, keys = noKeys }: SimulatedHostOptions) {
    this.files = {
      read: (path) => {
        const text = this.#texts.get(path);
        if (text === undefined) throw new Error(`open ${path}: no such file or directory`);
        return text;
      },
      makeDirectory: (path) => void this.#texts.set(`${path}/`, ""),
      removeAll: (path) => {
        for (const name of [...this.#texts.keys()]) {
          if (name === path || name.startsWith(`${path}/`)) this.#texts.delete(name);
        }
      },
      watch: (paths, onChange) => {
        const watch = { paths, onChange };
        this.#watches.add(watch);
        return { [Symbol.dispose]: () => void this.#watches.delete(watch) };
      },
    };
    this.keys = {
      ...keys,
      readPrivateKey: () => ({ tokenSigner: () => (claims) => tokenKeys.sign(claims) }),
      certificatesProblem: () => undefined,
    };
    this.timeZones = timeZones;
  }

  /** Writes a file; an undefined text removes it. */
  write(path: string, text: string | undefined): void {
    if (text === undefined) this.#texts.delete(path);
    else this.#texts.set(path, text);
    for (const { paths, onChange } of [...this.#watches]) if (paths.includes(path)) onChange();
  }
}
