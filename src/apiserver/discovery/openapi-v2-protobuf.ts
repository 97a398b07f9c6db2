// An OpenAPI v2 document as the protobuf message that client-go requests: gnostic's openapi.v2.Document. Fields are
// written from last to first, as the writer requires.

import { ProtoWriter } from "#api/proto-writer.ts";
import { stringifyJson } from "#base/json.ts";

type Document = Readonly<Record<string, unknown>>;
type Write = (writer: ProtoWriter, value: never) => void;

interface Field {
  readonly number: number;
  readonly isList?: boolean;
  readonly wireType?: number;
  readonly write: Write;
}

/** Fields by JSON name; "x-" stands for extensions. */
type Message = Readonly<Record<string, Field>>;

const text: Write = (writer, value: string) => writer.text(value);
const flag: Write = (writer, value: boolean) => writer.varint(value ? 1 : 0);
const count: Write = (writer, value: number) => writer.varint(value);
const double: Write = (writer, value: number) => writer.float64(value);

function put(writer: ProtoWriter, { number, wireType = 2, write }: Field, value: unknown): void {
  const before = writer.length;
  write(writer, value as never);
  if (wireType === 2) writer.varint(writer.length - before);
  writer.tag(number, wireType);
}

const message =
  (fields: () => Message): Write =>
  (writer, value: Document) => {
    const known = fields();
    const entries = Object.entries(value).flatMap(([name, each]) => {
      const field = known[name];
      if (field !== undefined) return [{ field, value: each }];
      const extension = known["x-"];
      return extension !== undefined && name.startsWith("x-") ? [{ field: extension, value: [name, each] }] : [];
    });
    entries.sort((a, b) => b.field.number - a.field.number);
    for (const { field, value: each } of entries) {
      if (field.isList) for (const item of [...(each as unknown[])].reverse()) put(writer, field, item);
      else put(writer, field, each);
    }
  };

/** Wraps a value in a message with this single field. */
const within =
  (field: Field): Write =>
  (writer, value) =>
    put(writer, field, value);

const named =
  (write: Write): Write =>
  (writer, [name, value]: [string, unknown]) => {
    put(writer, { number: 2, write }, value);
    put(writer, { number: 1, write: text }, name);
  };

const mapOf =
  (write: Write, number = 1): Write =>
  (writer, value: Document) => {
    for (const entry of Object.entries(value).reverse()) put(writer, { number, write: named(write) }, entry);
  };

const any: Write = (writer, value) => put(writer, { number: 2, write: text }, `${stringifyJson(value)}\n`);
const extension = (number: number): Field => ({ number, write: named(any) });
const texts = (number: number): Field => ({ number, isList: true, write: text });

const schema: Write = message(() => SCHEMA);
const additional: Write = (writer, value: unknown) =>
  typeof value === "boolean"
    ? put(writer, { number: 2, wireType: 0, write: flag }, value)
    : put(writer, { number: 1, write: schema }, value);

const SCHEMA: Message = {
  $ref: { number: 1, write: text },
  format: { number: 2, write: text },
  title: { number: 3, write: text },
  description: { number: 4, write: text },
  multipleOf: { number: 6, wireType: 1, write: double },
  maximum: { number: 7, wireType: 1, write: double },
  exclusiveMaximum: { number: 8, wireType: 0, write: flag },
  minimum: { number: 9, wireType: 1, write: double },
  exclusiveMinimum: { number: 10, wireType: 0, write: flag },
  maxLength: { number: 11, wireType: 0, write: count },
  minLength: { number: 12, wireType: 0, write: count },
  pattern: { number: 13, write: text },
  maxItems: { number: 14, wireType: 0, write: count },
  minItems: { number: 15, wireType: 0, write: count },
  uniqueItems: { number: 16, wireType: 0, write: flag },
  maxProperties: { number: 17, wireType: 0, write: count },
  minProperties: { number: 18, wireType: 0, write: count },
  required: texts(19),
  enum: { number: 20, isList: true, write: any },
  additionalProperties: { number: 21, write: additional },
  type: { number: 22, write: within({ number: 1, write: text }) },
  items: { number: 23, write: within({ number: 1, write: schema }) },
  properties: { number: 25, write: mapOf(schema) },
  externalDocs: {
    number: 29,
    write: message(() => ({ description: { number: 1, write: text }, url: { number: 2, write: text } })),
  },
  example: { number: 30, write: any },
  "x-": extension(31),
};

const BODY: Message = {
  name: { number: 2, write: text },
  in: { number: 3, write: text },
  required: { number: 4, wireType: 0, write: flag },
  schema: { number: 5, write: schema },
};
/** Query parameters. Path parameters lack the middle field. */
const QUERY: Message = {
  required: { number: 1, wireType: 0, write: flag },
  in: { number: 2, write: text },
  name: { number: 4, write: text },
  type: { number: 6, write: text },
  uniqueItems: { number: 20, wireType: 0, write: flag },
};
const PATH: Message = {
  ...QUERY,
  type: { number: 5, write: text },
  uniqueItems: { ...QUERY.uniqueItems, number: 19 } as Field,
};

const parameter: Write = (writer, value: { in: string }) => {
  const other =
    value.in === "path" ? { number: 4, write: message(() => PATH) } : { number: 3, write: message(() => QUERY) };
  const field = value.in === "body" ? { number: 1, write: message(() => BODY) } : { number: 2, write: within(other) };
  put(writer, { number: 1, write: within(field) }, value);
};
const parameters = (number: number): Field => ({ number, isList: true, write: parameter });

const response: Write = within({
  number: 1,
  write: message(() => ({
    description: { number: 1, write: text },
    schema: { number: 2, write: within({ number: 1, write: schema }) },
  })),
});

const OPERATION: Message = {
  tags: texts(1),
  operationId: { number: 5, write: text },
  produces: texts(6),
  consumes: texts(7),
  parameters: parameters(8),
  responses: { number: 9, write: mapOf(response) },
  schemes: texts(10),
  "x-": extension(13),
};
const operation: Write = message(() => OPERATION);

const ITEM: Message = {
  get: { number: 2, write: operation },
  put: { number: 3, write: operation },
  post: { number: 4, write: operation },
  delete: { number: 5, write: operation },
  patch: { number: 8, write: operation },
  parameters: parameters(9),
};

const API_KEY: Message = {
  type: { number: 1, write: text },
  name: { number: 2, write: text },
  in: { number: 3, write: text },
};

const DOCUMENT: Message = {
  swagger: { number: 1, write: text },
  info: {
    number: 2,
    write: message(() => ({ title: { number: 1, write: text }, version: { number: 2, write: text } })),
  },
  paths: {
    number: 8,
    write: mapOf(
      message(() => ITEM),
      2,
    ),
  },
  definitions: { number: 9, write: mapOf(schema) },
  security: { number: 12, isList: true, write: mapOf(() => undefined) },
  securityDefinitions: { number: 13, write: mapOf(within({ number: 2, write: message(() => API_KEY) })) },
};

export function openApiV2Protobuf(document: Document): Uint8Array {
  const writer = new ProtoWriter();
  message(() => DOCUMENT)(writer, document as never);
  return writer.finish();
}
