// Parses PEM like Go's encoding/pem: blocks between BEGIN and END lines. Other text is ignored, and so are blocks that
// are not base64.

import { decodeBase64, encodeBase64 } from "./base64.ts";
import { CodecError } from "./codec-error.ts";

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const BLOCK =
  /(?<=^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n((?:[^\n:]+:[^\n]*\n)*)([^-]*?)-----END \1-----[ \t\r]*(?=\n|$)/g;

export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(BLOCK)].flatMap(([, type = "", headers = "", body = ""]) => {
    try {
      return [{ type, hasHeaders: headers !== "", bytes: decodeBase64(body.replace(/[ \t\r\n]/g, "")) }];
    } catch (error) {
      if (error instanceof CodecError) return [];
      throw error;
    }
  });
}

/** The text in a field of bytes. PEM is ASCII, so other bytes need no correct decoding. */
export function pemTextOf(base64: string | null | undefined): string {
  return !base64 ? "" : new TextDecoder().decode(decodeBase64(base64));
}

export function encodePem(type: string, bytes: Uint8Array): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.map((line) => `${line}\n`).join("")}-----END ${type}-----\n`;
}
