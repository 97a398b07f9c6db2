// The expressions of admission policies and the match conditions of webhooks, compiled before they are stored.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/cel/{compile,composition}.go
//
// Upstream refuses expressions that an older server could not compile only if they are new. This server has one set of
// functions.

import * as field from "#api/field-error.ts";
import { compileCel, isFailure } from "#cel/compile.ts";
import {
  authorizerType,
  mutationTypes,
  namespaceType,
  policyTypes,
  requestType,
  resourceCheckType,
  variablesType,
  variableType,
} from "#cel/policy-variables.ts";
import { DYN, declaredName, isSameType, type Type } from "#cel/types.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";

/** Variables and types that an expression may use besides the object, the request and the namespace. */
interface Visible {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** The expression returns an apply configuration or JSON patches. */
  readonly mutationTypes?: boolean;
}

interface Expression {
  readonly path: Path;
  readonly text: string;
  /** Text for error messages. Absent: `text`. */
  readonly quoted?: string;
  /** Allowed result types. Absent: any. */
  readonly types?: readonly Type[];
  readonly visible: Visible;
}

/** Compiles the expressions of one object in order: a variable must precede the expressions that use it. */
export class PolicyExpressions {
  readonly #errors: Errors;
  readonly #variables: Map<string, Type> | undefined;

  constructor(errors: Errors, hasVariables: boolean) {
    this.#errors = errors;
    this.#variables = hasVariables ? new Map() : undefined;
  }

  check(expression: Expression): void {
    this.#compile(expression);
  }

  /** A variable that does not compile gets the dynamic type. */
  addVariable(name: string, expression: Expression): void {
    const type = this.#compile(expression);
    this.#variables?.set(name, variableType(type));
  }

  #compile({ path, text, quoted = text, types, visible }: Expression): Type | undefined {
    const extension = visible.mutationTypes ? mutationTypes : policyTypes;
    const compiled = compileCel(text, this.#environment(visible), undefined, { extension });
    if (isFailure(compiled)) {
      const detail = `${compiled.phase} failed: ${compiled.message}`;
      this.#errors.push(
        compiled.phase === "compilation" ? field.invalid(path, quoted, detail) : field.internalError(path, detail),
      );
      return undefined;
    }
    const { type } = compiled;
    if (types === undefined || types.some((wanted) => isSameType(type, wanted))) return type;
    const [first] = types;
    const wanted =
      types.length === 1 && first !== undefined ? runtimeName(first) : `one of [${types.map(runtimeName).join(" ")}]`;
    this.#errors.push(field.invalid(path, quoted, `must evaluate to ${wanted} but got ${runtimeName(type)}`));
    return undefined;
  }

  #environment({ params, authorizer }: Visible): ReadonlyMap<string, Type> {
    const variables = new Map<string, Type>([
      ["object", DYN],
      ["oldObject", DYN],
      ["namespaceObject", namespaceType],
      ["request", requestType],
    ]);
    if (params) variables.set("params", DYN);
    if (authorizer) variables.set("authorizer", authorizerType).set("authorizer.requestResource", resourceCheckType);
    if (this.#variables) variables.set("variables", variablesType(this.#variables));
    return variables;
  }
}

/** The name of a type at run time. */
function runtimeName(type: Type): string {
  const name = declaredName(type);
  return type.params.length === 0 ? name : `${name}(${type.params.map(runtimeName).join(", ")})`;
}
