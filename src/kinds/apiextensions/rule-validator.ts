// Runs the CEL rules of a schema over an object, from the root down, within one cost budget. Rules that an unchanged
// part violates only produce warnings.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go

import * as field from "#api/field-error.ts";
import { byteLength } from "#api/go-text.ts";
import { isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { type CompiledRule, compileRule, type Program } from "#cel/compile.ts";
import { COST_PER_OBJECT_MAX } from "#cel/cost.ts";
import {
  isEmbedded,
  itemsOf,
  type JSONSchemaProps,
  propertyOf,
  someSchema,
  type ValidationRule,
  valuesOf,
} from "#cel/json-schema.ts";
import { asResource, celType, celValue, escapeName } from "#cel/schema-types.ts";
import type { Type } from "#cel/types.ts";
import { Optional, type Value } from "#cel/values.ts";
import { type Correlation, mapList } from "./correlation.ts";

export interface RuleOutcome {
  readonly errors: readonly field.FieldError[];
  /** Violations in unchanged parts. */
  readonly warnings: readonly string[];
  /** The remaining budget; below 0 if some rules were not run. */
  readonly budget: number;
}

export interface RuleValidator {
  validate(
    value: unknown,
    old: unknown,
    correlation?: Correlation,
    path?: field.FieldPath,
    budget?: number,
  ): RuleOutcome;
}

const hasRules = (schema: JSONSchemaProps): boolean => (schema["x-kubernetes-validations"]?.length ?? 0) > 0;

/** Undefined if the schema has no rules. Rules are compiled at their first run. */
export function ruleValidator(schema: JSONSchemaProps, isResourceRoot: boolean): RuleValidator | undefined {
  if (!someSchema(schema, hasRules)) return undefined;
  let root: RuleNode | undefined;
  return {
    validate(value, old, correlation, path, budget = COST_PER_OBJECT_MAX) {
      root ??= ruleNode(schema, isResourceRoot, celType(schema, isResourceRoot, "selfType"));
      const run = new Run(budget);
      if (root !== undefined) run.node(root, value, old, { current: correlation, parent: undefined }, path);
      return run;
    },
  };
}

interface RuleNode {
  /** The schema as rules see it. */
  readonly schema: JSONSchemaProps;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

function ruleNode(schema: JSONSchemaProps, isResourceRoot: boolean, type: Type | undefined): RuleNode | undefined {
  const rules =
    type === undefined ? [] : (schema["x-kubernetes-validations"] ?? []).map((rule) => compileRule(rule, schema, type));
  const below = (next: JSONSchemaProps | undefined, nextType: Type | undefined): RuleNode | undefined =>
    next && ruleNode(next, isEmbedded(next), nextType);
  const items = below(itemsOf(schema), type?.kind === "list" ? type.params[0] : undefined);
  const values = below(valuesOf(schema), type?.kind === "map" ? type.params[1] : undefined);
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(name);
    const fieldType =
      escaped === undefined ? celType(property, isEmbedded(property), "selfType") : type?.fields?.get(escaped);
    const node = fieldType && below(property, fieldType);
    if (node !== undefined) properties.set(name, node);
  }
  if (rules.length === 0 && items === undefined && values === undefined && properties.size === 0) return undefined;
  return { schema: isResourceRoot ? asResource(schema) : schema, rules, items, values, properties };
}

/** Correlation of a part with its old value, and that of its nearest correlated parent. */
interface Ratchet {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

function ratchetKey(ratchet: Ratchet, name: string): Ratchet {
  if (ratchet.current === undefined) return ratchet;
  if (ratchet.parent === undefined && (name === "apiVersion" || name === "kind"))
    return { current: undefined, parent: undefined };
  return { current: ratchet.current.key(name), parent: ratchet.current };
}

function ratchetIndex(ratchet: Ratchet, i: number): Ratchet {
  return ratchet.current === undefined ? ratchet : { current: ratchet.current.index(i), parent: ratchet.current };
}

const isUnchanged = ({ current, parent }: Ratchet): boolean => (current ?? parent)?.isEqual === true;

const OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";

type Path = field.FieldPath | undefined;

class Run implements RuleOutcome {
  readonly errors: field.FieldError[] = [];
  readonly warnings: string[] = [];
  budget: number;

  constructor(budget: number) {
    this.budget = budget;
  }

  node(node: RuleNode, value: unknown, old: unknown, ratchet: Ratchet, path: Path): void {
    if (this.budget < 0 || value === null || value === undefined) return;
    if (node.rules.length > 0) this.#rules(node, value, old ?? undefined, ratchet, path);
    if (isArray(value)) {
      const { items } = node;
      if (items === undefined) return;
      const before = isArray(old) ? mapList(node.schema, old) : (): undefined => undefined;
      value.forEach((item, i) => {
        const at = path === undefined ? new field.FieldPath(`[${i}]`) : path.index(i);
        this.node(items, item, before(item), ratchetIndex(ratchet, i), at);
      });
    } else if (isObject(value)) this.#object(node, value, isObject(old) ? old : {}, ratchet, path);
  }

  #object(node: RuleNode, value: JsonObject, old: JsonObject, ratchet: Ratchet, path: Path): void {
    for (const key of Object.keys(value)) {
      const before = Object.hasOwn(old, key) ? old[key] : undefined;
      if (node.values !== undefined && propertyOf(node.schema, key) === undefined) {
        const at = path === undefined ? new field.FieldPath(`[${key}]`) : path.key(key);
        this.node(node.values, value[key], before, ratchetKey(ratchet, key), at);
      }
      const below = node.properties.get(key);
      if (below !== undefined) this.node(below, value[key], before, ratchetKey(ratchet, key), field.childOf(path, key));
    }
  }

  #rules({ schema, rules }: RuleNode, value: unknown, old: unknown, ratchet: Ratchet, path: Path): void {
    const type = schema.type ?? "";
    if (this.budget <= 0) {
      this.#exhausted(field.invalid(path, type, OUT_OF_BUDGET));
      return;
    }
    const self = lazily(() => celValue(value, schema));
    const oldSelf = lazily(() => celValue(old, schema));
    const hasOldSelf = old !== undefined && rules.some(({ program }) => program?.usesOldSelf);
    // Message expressions see oldSelf only if a rule uses it, and never as an optional value.
    const inMessages = (name: string): Value | undefined =>
      name === "self" ? self() : name === "oldSelf" && hasOldSelf ? oldSelf() : undefined;
    for (const compiled of rules) {
      const { rule, program } = compiled;
      if (program === undefined) {
        if (compiled.error !== undefined)
          this.errors.push(field.invalid(path, type, `rule compile error: ${compiled.error}`));
        continue;
      }
      if (program.usesOldSelf && old === undefined && !rule.optionalOldSelf) continue;
      const variable = (name: string): Value | undefined => {
        if (name === "self") return self();
        if (name !== "oldSelf") return undefined;
        if (!rule.optionalOldSelf) return oldSelf();
        return old === undefined ? new Optional() : new Optional(oldSelf());
      };
      const outcome = program.run(variable);
      if (outcome.cost > this.budget) {
        this.#exhausted(field.invalid(path, type, OUT_OF_BUDGET));
        return;
      }
      this.budget -= outcome.cost;
      if (outcome.error !== undefined) {
        if (!this.#evaluationError(outcome.error, rule, type, path)) return;
      } else if (outcome.value !== true && !this.#broken(compiled, inMessages, { value, type, ratchet, path })) return;
    }
  }

  /** True if further rules may run. */
  #evaluationError(error: string, rule: ValidationRule, type: string, path: Path): boolean {
    const shown = shownRule(rule);
    const isOverLimit = error.startsWith("operation cancelled: actual cost limit exceeded");
    if (isOverLimit) {
      const detail = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
      this.#exhausted(field.invalid(path, type, detail));
      return false;
    }
    const detail = error.startsWith("no such overload")
      ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
      : `${error} evaluating rule: ${shown}`;
    this.errors.push(field.invalid(path, type, detail));
    return true;
  }

  #broken(
    { rule, program, message, fieldPath }: CompiledRule,
    variable: (name: string) => Value | undefined,
    { value, type, ratchet, path }: { value: unknown; type: string; ratchet: Ratchet; path: Path },
  ): boolean {
    const at = fieldPath === "" ? path : field.childOf(path, fieldPath);
    const add = (error: field.FieldError): void => {
      if (program?.usesOldSelf !== true && isUnchanged(ratchet)) this.warnings.push(field.errorText(error));
      else this.errors.push(error);
    };
    let detail: string | undefined;
    if (message !== undefined) {
      const made = this.#message(message, rule.messageExpression ?? "", variable);
      if (made.failure !== undefined) {
        add(field.invalid(at, type, made.failure));
        this.budget = -1;
        return false;
      }
      detail = made.text;
    }
    add(
      reasoned(
        rule.reason,
        at,
        type === "object" || type === "array" ? NO_VALUE : value,
        detail ?? defaultMessage(rule),
      ),
    );
    return true;
  }

  #message(
    program: Program,
    text: string,
    variable: (name: string) => Value | undefined,
  ): { readonly text?: string; readonly failure?: string } {
    const outcome = program.run(variable);
    if (outcome.cost > this.budget) {
      const why = "messageExpression evaluation failed due to running out of cost budget";
      return { failure: `${why}, no further validation rules will be run` };
    }
    if (outcome.error?.startsWith("operation cancelled: actual cost limit exceeded")) {
      const why = "no further validation rules will be run due to call cost exceeds limit for messageExpression";
      return { failure: `${why}: ${JSON.stringify(text)}` };
    }
    this.budget -= outcome.cost;
    const message = typeof outcome.value === "string" ? outcome.value.trim() : "";
    // An unusable message is replaced by the rule's own.
    const isUsable = message !== "" && !message.includes("\n") && byteLength(message) <= MESSAGE_BYTES_MAX;
    return isUsable ? { text: message } : {};
  }

  #exhausted(error: field.FieldError): void {
    this.errors.push(error);
    this.budget = -1;
  }
}

const MESSAGE_BYTES_MAX = 5 * 1024;
const NO_VALUE = Symbol("no value");

function lazily(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function reasoned(reason: string | undefined, path: Path, value: unknown, detail: string): field.FieldError {
  if (reason === "FieldValueForbidden") return field.forbidden(path, detail);
  if (reason === "FieldValueRequired") return field.required(path, detail);
  const isDuplicate = reason === "FieldValueDuplicate";
  if (value !== NO_VALUE) return isDuplicate ? field.duplicate(path, value) : field.invalid(path, value, detail);
  const { badValue: _none, ...error } = isDuplicate ? field.duplicate(path, "") : field.invalid(path, "", detail);
  return error;
}

const shownRule = ({ rule, message }: ValidationRule): string => (message || rule).trim();
const defaultMessage = (rule: ValidationRule): string =>
  rule.message ? rule.message.trim() : `failed rule: ${shownRule(rule)}`;
