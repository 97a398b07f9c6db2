// A CustomResourceDefinition as a row of the registry: handled like all other kinds, with its schema instead of a Go
// type.

import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from "#api/generated/types/apiextensions-v1.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject, parseApiVersion } from "#api/object.ts";
import { isObject } from "#api/patch/json-value.ts";
import type { Subresource, Verb } from "#api/resource-table.ts";
import { newForbidden } from "#api/status-error.ts";
import type { CustomResourceDefinition, JSONSchemaProps } from "#cel/json-schema.ts";
import { type CustomVersion, customResourceStrategy } from "#kinds/apiextensions/custom-resource-strategy.ts";
import { applySchemaDefaults } from "#kinds/apiextensions/defaulting.ts";
import { customPrinter } from "#kinds/apiextensions/printer-columns.ts";
import { prune } from "#kinds/apiextensions/pruning.ts";
import { ruleValidator } from "#kinds/apiextensions/rule-validator.ts";
import { selectableValues } from "#kinds/apiextensions/selectable-fields.ts";
import { toSchema } from "#kinds/apiextensions/to-schema.ts";
import { compareVersions } from "../discovery/discovery-documents.ts";
import type { KindRow, KindVersion } from "../registry.ts";
import type { Table } from "../storage/storage.ts";
import { coerceStored, decodeCustom } from "./coercion.ts";
import { customScale } from "./custom-scale.ts";
import { NormalizingTable } from "./normalizing-table.ts";
import { openApiOf } from "./open-api.ts";
import { storageVersionHash } from "./storage-version-hash.ts";

const VERBS: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const SUBRESOURCE_VERBS: readonly Verb[] = ["get", "patch", "update"];
/** The schema for objects of another kind: validation refuses them later, so they are not pruned. */
const ANYTHING: JSONSchemaProps = { "x-kubernetes-preserve-unknown-fields": true };
const SCALE: GroupVersionKind = { group: "autoscaling", version: "v1", kind: "Scale" };

export interface CustomKindOptions {
  /** The storage revision when the row is created. */
  readonly revision: number;
  /** Whether the definition is being deleted; called at each create. */
  isTerminating(): boolean;
}

/** Undefined if no version is served. */
export function customKind(crd: CustomResourceDefinition, options: CustomKindOptions): KindRow | undefined {
  const { spec, status, metadata } = crd;
  const names = status?.acceptedNames as CustomResourceDefinitionNames;
  const served = spec.versions.filter((version) => version.served).sort((a, b) => compareVersions(a.name, b.name));
  const [first] = served;
  const storage = spec.versions.find((version) => version.storage);
  if (first === undefined || storage === undefined) return undefined;
  const gvk = (version: string): GroupVersionKind => ({ group: spec.group, version, kind: names.kind });
  // Objects are stored in a served version; with conversion None all versions have the same content.
  const stored = gvk(storage.served ? storage.name : first.name);
  const rules = new Map(spec.versions.map((version) => [version.name, rulesOf(version, gvk(version.name))]));
  const storageSchema = storage.schema?.openAPIV3Schema;
  const toStoredForm = (object: KubeObject): KubeObject =>
    applySchemaDefaults(coerceStored(inVersion(object, stored), storageSchema), storageSchema) as KubeObject;
  const namespaced = spec.scope === "Namespaced";
  const strategy = customResourceStrategy({
    namespaced,
    stored,
    versionOf: (name) => rules.get(name),
    // With a single version every written object already has its form.
    toStoredForm: spec.versions.length === 1 ? (object) => object : toStoredForm,
  });
  const resource = names.plural;
  const selectable = selectableOf(served);
  return {
    table: metadata?.name ?? "",
    etcdDirectory: `${spec.group}/${resource}`,
    resource,
    singular: names.singular ?? "",
    namespaced,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    versions: served.map((version) => kindVersion(crd, version, gvk(version.name), stored, names)),
    stored,
    strategy: {
      ...strategy,
      prepareForCreate(object, ctx) {
        if (!options.isTerminating()) return strategy.prepareForCreate(object, ctx);
        const why = "create not allowed while custom resource definition is terminating";
        throw newForbidden({ group: spec.group, resource }, object.metadata?.name ?? "", why);
      },
    },
    isCustom: true,
    returnsDeletedObject: false,
    isStoredAsJson: true,
    isUncached: false,
    unprintedSubresources: [],
    selectableFields: (object) => selectableValues(object, selectable),
    subresources: new Map([["scale", customScale((version) => rules.get(version)?.scale)]]),
    viewTable: (table: Table) => new NormalizingTable(table, options.revision, toStoredForm),
  };
}

function rulesOf(version: CustomResourceDefinitionVersion, gvk: GroupVersionKind): CustomVersion {
  const schema = version.schema?.openAPIV3Schema;
  const { status, scale } = version.subresources ?? {};
  return {
    ...gvk,
    schema,
    rules: schema && ruleValidator(schema, true),
    hasStatus: status !== undefined,
    scale,
  };
}

/** With conversion None a field has the same value in all versions. */
function selectableOf(versions: readonly CustomResourceDefinitionVersion[]): { name: string; path: string[] }[] {
  const paths = versions.flatMap(({ selectableFields = [] }) => selectableFields.map(({ jsonPath }) => jsonPath));
  return [...new Set(paths)].map((path) => {
    const name = path.startsWith(".") ? path.slice(1) : path;
    return { name, path: name.split(".") };
  });
}

function kindVersion(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  gvk: GroupVersionKind,
  stored: GroupVersionKind,
  names: CustomResourceDefinitionNames,
): KindVersion {
  const root = version.schema?.openAPIV3Schema;
  const schema = toSchema(root ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true });
  const { namespaced, selectable } = {
    namespaced: crd.spec.scope === "Namespaced",
    selectable: new Set(selectableOf([version]).map(({ name }) => name)),
  };
  const warning = deprecationWarning(crd, version);
  const { status, scale } = version.subresources ?? {};
  const subresources: Subresource[] = [
    ...(status === undefined ? [] : [{ name: "status", verbs: SUBRESOURCE_VERBS, kind: gvk }]),
    ...(scale === undefined ? [] : [{ name: "scale", verbs: SUBRESOURCE_VERBS, kind: SCALE }]),
  ];
  return {
    ...gvk,
    listKind: names.listKind ?? `${names.kind}List`,
    verbs: VERBS,
    subresources,
    storageVersionHash: storageVersionHash(gvkOfStorage(crd, gvk)),
    schema: () => schema,
    openApi: (form) => openApiOf(version, form),
    decode(value, wording) {
      const isOther = isObject(value) && Object.hasOwn(value, "kind") && value.kind !== gvk.kind;
      return decodeCustom(value, isOther ? ANYTHING : root, wording);
    },
    zero: () => ({}),
    // An object of another group is refused by validation.
    toStored: (object) =>
      parseApiVersion(object.apiVersion ?? "").group === gvk.group ? inVersion(object, stored) : object,
    fromStored: (object) => prune(inVersion(object, gvk), root, true) as KubeObject,
    applyDefaults: (object) => applySchemaDefaults(object, root) as KubeObject,
    fieldLabels: {
      fieldOf: (label) => {
        const isMeta = label === "metadata.name" || (namespaced && label === "metadata.namespace");
        return isMeta || selectable.has(label) ? label : undefined;
      },
      unsupported: (label) => `field label not supported: ${label}`,
    },
    printer: customPrinter(version.additionalPrinterColumns),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
  };
}

function gvkOfStorage({ spec }: CustomResourceDefinition, { group, kind }: GroupVersionKind): GroupVersionKind {
  return { group, version: spec.versions.find(({ storage }) => storage)?.name ?? "", kind };
}

function inVersion(object: KubeObject, gvk: GroupVersionKind): KubeObject {
  const apiVersion = apiVersionOf(gvk);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Upstream: customresource_handler.go, defaultDeprecationWarning */
function deprecationWarning(
  { spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names } = spec;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const [newest] = spec.versions
    .filter(({ served, deprecated, name }) => served && !deprecated && compareVersions(name, version.name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name));
  return newest === undefined ? text : `${text}; use ${group}/${newest.name} ${names.kind}`;
}
