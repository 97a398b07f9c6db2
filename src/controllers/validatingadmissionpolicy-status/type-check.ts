// Checks the expressions of a policy against the types of the objects that it matches.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go.

import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
} from "#api/generated/types/admissionregistration-v1.ts";
import type { GroupVersionKind } from "#api/object.ts";
import { printErrors } from "#cel/ast.ts";
import { checkCel } from "#cel/checker.ts";
import { parseCel } from "#cel/parser.ts";
import { authorizerType, namespaceType, requestType, variablesType, variableType } from "#cel/policy-variables.ts";
import { DYN, type Type } from "#cel/types.ts";

export interface KindType {
  readonly kind: GroupVersionKind;
  readonly type: Type;
}

/** The warnings of validations and their messages. Other expressions of a policy have none. */
export function expressionWarnings(
  spec: ValidatingAdmissionPolicySpec,
  kinds: readonly KindType[],
  params: Type | undefined,
): readonly ExpressionWarning[] {
  const environments = kinds.map(({ kind, type }) => ({ kind, variables: environmentOf(spec, type, params) }));
  const warningsOf = (fieldRef: string, expression: string): readonly ExpressionWarning[] => {
    const issues = environments.flatMap(({ kind, variables }) => {
      const { issues } = check(expression, variables);
      return issues === undefined ? [] : [`${goName(kind)}: ${issues}\n`];
    });
    return issues.length === 0 ? [] : [{ fieldRef, warning: issues.join("\n") }];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => [
    ...warningsOf(`spec.validations[${index}].expression`, expression),
    ...(messageExpression ? warningsOf(`spec.validations[${index}].messageExpression`, messageExpression) : []),
  ]);
}

/** A variable can use those before it. An invalid variable has the dynamic type. */
function environmentOf(
  { variables = [] }: ValidatingAdmissionPolicySpec,
  object: Type,
  params: Type | undefined,
): ReadonlyMap<string, Type> {
  const fields = new Map<string, Type>();
  const environment = new Map([
    ["namespaceObject", namespaceType],
    ["request", requestType],
    ["object", object],
    ["oldObject", object],
    ["authorizer", authorizerType],
    ["variables", variablesType(fields)],
    ...(params === undefined ? [] : [["params", params] as const]),
  ]);
  for (const { name, expression } of variables) fields.set(name, variableType(check(expression, environment).type));
  return environment;
}

interface Verdict {
  readonly type?: Type;
  /** As cel-go prints them. */
  readonly issues?: string;
}

function check(text: string, variables: ReadonlyMap<string, Type>): Verdict {
  const parsed = parseCel(text);
  if (parsed.expr === undefined) return { issues: printErrors(text, parsed.errors) };
  const { type, errors } = checkCel(parsed.expr, variables);
  return errors.length === 0 ? { type } : { issues: printErrors(text, errors) };
}

/** A kind without a schema has the dynamic type. */
export const untyped: Type = DYN;

/** As Go prints a GroupVersionKind. */
function goName({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
