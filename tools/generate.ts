// One command that rebuilds every generated table and type: `bun tools/generate.ts`.
// It needs Go for the module cache; its output is committed, so building and testing do not.

import { generateCelFunctions } from "#tools/generate/cel-functions.ts";
import { generateFeatureGates } from "#tools/generate/feature-gates.ts";
import { generateGoTypes } from "#tools/generate/go-types.ts";
import { generateInternalLayout } from "#tools/generate/internal-layout.ts";
import { loadDefinitions } from "#tools/generate/openapi.ts";
import { generateResources, groupVersions } from "#tools/generate/resources.ts";
import { generateSchemas } from "#tools/generate/schemas.ts";
import { generateTypes } from "#tools/generate/types.ts";
import { generateVectors, vectorNames } from "#tools/generate/vectors.ts";

const definitions = loadDefinitions();
generateTypes(definitions);
generateResources();
generateSchemas(definitions);
generateGoTypes(groupVersions());
generateFeatureGates();
generateCelFunctions();
generateInternalLayout();
for (const name of vectorNames()) generateVectors(name);
