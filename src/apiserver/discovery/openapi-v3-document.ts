// One group version as an OpenAPI v3 document.

import type { Registry } from "../registry.ts";
import { type Operation, type Parameter, type PathItem, pathsOf } from "./openapi-operations.ts";
import { gvkEntry, OpenApiSchemas } from "./openapi-schemas.ts";

type Document = Readonly<Record<string, unknown>>;

export const INFO = { title: "Kubernetes", version: "1.36" };
const CUSTOM_INFO = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };

export function openApiV3Document(registry: Registry, group: string, version: string): Document {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const schemas = new OpenApiSchemas("v3");
  const items = registry.endpointsOf(group, version).flatMap((endpoint) => pathsOf(endpoint, root, schemas));
  const isCustom = registry.isCustomGroup(group);
  return {
    openapi: "3.0.0",
    info: isCustom ? CUSTOM_INFO : INFO,
    paths: pathDocuments(items, (item) => inV3(item, schemas)),
    components: {
      schemas: schemas.components,
      ...(isCustom
        ? {}
        : { securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } } }),
    },
  };
}

export function pathDocuments(items: readonly PathItem[], write: (item: PathItem) => Document): Document {
  const sorted = [...items].sort((a, b) => (a.path < b.path ? -1 : 1));
  return Object.fromEntries(sorted.map((item) => [item.path, write(item)]));
}

const parameter = ({ name, in: place, type }: Parameter): Document => ({
  name,
  in: place,
  ...(place === "path" && { required: true }),
  schema: { type, uniqueItems: true },
});

function inV3({ parameters, operations }: PathItem, schemas: OpenApiSchemas): Document {
  const methods = operations.map((operation) => [operation.method, operationInV3(operation, schemas)]);
  return { ...Object.fromEntries(methods), parameters: parameters.map(parameter) };
}

export const DESCRIPTIONS: Readonly<Record<string, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function operationInV3(operation: Operation, schemas: OpenApiSchemas): Document {
  const { tag, id, parameters, body, answers, consumes, produces, action, gvk } = operation;
  const content = (name: string | undefined, types: readonly string[]): Document =>
    Object.fromEntries(
      types.map((type) => [type, { schema: name === undefined ? { type: "string" } : schemas.reference(name) }]),
    );
  const responses = Object.entries(answers).map(([code, schema]) => [
    code,
    { description: DESCRIPTIONS[code], content: content(schema, produces) },
  ]);
  return {
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 && { parameters: parameters.map(parameter) }),
    ...(body && {
      requestBody: { content: content(body.schema, [...consumes].sort()), ...(body.isRequired && { required: true }) },
    }),
    responses: { ...Object.fromEntries(responses), 401: { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvkEntry(gvk),
  };
}
