// A signer's certificate and key, read from their files. A change on disk takes effect when certificate and key match;
// until then the old pair signs.
// Upstream: apiserver/pkg/server/dynamiccertificates/dynamic_serving_content.go;
// pkg/controller/certificates/signer/ca_provider.go

import { pemBlocks } from "#api/pem.ts";
import type { CertificateAuthority } from "#base/certificates.ts";
import { errorMessage } from "#base/errors.ts";
import type { Host } from "#base/host.ts";
import type { Logger } from "#base/log.ts";

export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

export class SigningPair {
  readonly #files: PairFiles;
  readonly #host: Pick<Host, "files" | "keys">;
  #pair: Pair;
  /** The authority of the pair that was used last. The library for it is loaded with the first request to sign. */
  #authority: { readonly of: Pair; readonly authority: CertificateAuthority } | undefined;

  /** Throws when the pair cannot be used. */
  constructor(files: PairFiles, host: Pick<Host, "files" | "keys">) {
    this.#files = files;
    this.#host = host;
    try {
      this.#pair = this.#read();
    } catch (cause) {
      throw new Error(`error reading CA cert file ${JSON.stringify(files.certFile)}: ${errorMessage(cause)}`, {
        cause,
      });
    }
    this.#checkCount(this.#pair);
  }

  /** Follows the files until disposed. */
  follow(log: Logger): Disposable {
    const { certFile, keyFile } = this.#files;
    return this.#host.files.watch([certFile, keyFile], () => {
      try {
        const pair = this.#read();
        if (pair.certificate === this.#pair.certificate && pair.key === this.#pair.key) return;
        this.#pair = pair;
        log.v(2).info("Loaded a new cert/key pair", { name: this.#name });
      } catch (error) {
        log.error(error, "Failed to load the cert/key pair", { name: this.#name });
      }
    });
  }

  /** Throws when the last loaded pair is not an authority. */
  async current(): Promise<CertificateAuthority> {
    const { authority } = await this.#host.keys.loadSigning();
    const pair = this.#pair;
    if (this.#authority?.of !== pair) {
      this.#checkCount(pair);
      this.#authority = { of: pair, authority: authority(pair.certificate, pair.key) };
    }
    return this.#authority.authority;
  }

  get #name(): string {
    return `csr-controller::${this.#files.certFile}::${this.#files.keyFile}`;
  }

  #read(): Pair {
    const { certFile, keyFile } = this.#files;
    if (certFile === "" || keyFile === "") throw new Error("missing filename for serving cert");
    const { files, keys } = this.#host;
    const pair = { certificate: files.read(certFile), key: files.read(keyFile) };
    if (pair.certificate === "" || pair.key === "") {
      throw new Error(`missing content for serving cert ${JSON.stringify(this.#name)}`);
    }
    const problem = keys.pairProblem(pair.certificate, pair.key);
    if (problem !== undefined) throw new Error(problem);
    return pair;
  }

  #checkCount({ certificate }: Pair): void {
    const count = pemBlocks(certificate).filter(({ type }) => type === "CERTIFICATE").length;
    if (count === 1) return;
    const file = JSON.stringify(this.#name);
    throw new Error(`error reading CA cert file ${file}: expected 1 certificate, found ${count}`);
  }
}
