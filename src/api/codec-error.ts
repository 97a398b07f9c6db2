// The error of all codecs: bytes that do not match their content type, or a value that the content type cannot carry.

export type CodecFormat = "json" | "yaml" | "protobuf";

export class CodecError extends Error {
  override readonly name = "CodecError";
  readonly format: CodecFormat;
  constructor(format: CodecFormat, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.format = format;
  }
}
