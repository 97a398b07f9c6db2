// All groups as one OpenAPI v2 document.

import type { Registry } from "../registry.ts";
import { orderedGroups, orderedVersions } from "./discovery-documents.ts";
import { type Operation, type Parameter, type PathItem, pathsOf } from "./openapi-operations.ts";
import { gvkEntry, OpenApiSchemas } from "./openapi-schemas.ts";
import { DESCRIPTIONS, INFO, pathDocuments } from "./openapi-v3-document.ts";

type Document = Readonly<Record<string, unknown>>;

export function openApiV2Document(registry: Registry): Document {
  const schemas = new OpenApiSchemas("v2");
  const items: PathItem[] = [];
  for (const group of ["", ...orderedGroups(registry)]) {
    for (const version of orderedVersions(registry, group)) {
      const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      for (const endpoint of registry.endpointsOf(group, version)) items.push(...pathsOf(endpoint, root, schemas));
    }
  }
  return {
    swagger: "2.0",
    info: INFO,
    paths: pathDocuments(items, (item) => inV2(item, schemas)),
    definitions: schemas.components,
    securityDefinitions: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    security: [{ BearerToken: [] }],
  };
}

const parameter = ({ name, in: place, type }: Parameter): Document => ({
  uniqueItems: true,
  type,
  name,
  in: place,
  ...(place === "path" && { required: true }),
});

function inV2({ parameters, operations }: PathItem, schemas: OpenApiSchemas): Document {
  const methods = operations.map((operation) => [operation.method, operationInV2(operation, schemas)]);
  return { ...Object.fromEntries(methods), parameters: parameters.map(parameter) };
}

function operationInV2(operation: Operation, schemas: OpenApiSchemas): Document {
  const { tag, id, parameters, body, answers, consumes, produces, action, gvk } = operation;
  const responses = Object.entries(answers).map(([code, schema]) => {
    const content = schema === undefined ? { type: "string" } : schemas.reference(schema);
    return [code, { description: DESCRIPTIONS[code], schema: content }];
  });
  const bodies = body === undefined ? [] : [bodyParameter(body, schemas)];
  const all = [...bodies, ...parameters.map(parameter)];
  return {
    consumes,
    produces,
    schemes: ["https"],
    tags: [tag],
    operationId: id,
    ...(all.length > 0 && { parameters: all }),
    responses: { ...Object.fromEntries(responses), 401: { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvkEntry(gvk),
  };
}

const bodyParameter = ({ schema, isRequired }: NonNullable<Operation["body"]>, schemas: OpenApiSchemas): Document => ({
  name: "body",
  in: "body",
  ...(isRequired && { required: true }),
  schema: schemas.reference(schema),
});
