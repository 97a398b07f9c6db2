// Rebuilds every generated table and type: `bun tools/generate.ts`.
// Needs Go for the module cache. The output is committed, so building and testing do not need Go.

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
