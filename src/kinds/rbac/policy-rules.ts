// Which requests a policy rule allows, and which rules a list of rules covers.
// Upstream: pkg/apis/rbac/v1/evaluation_helpers.go; component-helpers/auth/rbac/validation/policy_comparator.go

import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import { goQuote } from "#api/go-text.ts";

/** The parts of a request that rules match. */
export type RuledRequest =
  | { readonly isResourceRequest: false; readonly verb: string; readonly path: string }
  | {
      readonly isResourceRequest: true;
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly name: string;
    };

type Texts = readonly string[];
const NONE: Texts = [];

const hasOrAll = (list: Texts | undefined, text: string): boolean =>
  list !== undefined && (list.includes(text) || list.includes("*"));

export function ruleAllows(rule: PolicyRule, request: RuledRequest): boolean {
  if (!hasOrAll(rule.verbs, request.verb)) return false;
  if (!request.isResourceRequest) return (rule.nonResourceURLs ?? NONE).some((url) => urlCovers(url, request.path));
  const { group, resource, subresource, name } = request;
  if (!hasOrAll(rule.apiGroups, group)) return false;
  const { resourceNames = NONE, resources = NONE } = rule;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  if (subresource === "") return hasOrAll(resources, resource);
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));
}

/** The parts of `wanted` that no rule of `held` covers, each with one verb, one resource and at most one name. */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(singleRules).filter((single) => !held.some((rule) => coversSingle(rule, single)));
}

function singleRules({ apiGroups, resources, verbs, resourceNames, nonResourceURLs }: PolicyRule): PolicyRule[] {
  const singles: PolicyRule[] = [];
  for (const group of apiGroups ?? NONE) {
    for (const resource of resources ?? NONE) {
      for (const verb of verbs) {
        const single = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if ((resourceNames ?? NONE).length === 0) singles.push(single);
        else for (const name of resourceNames ?? NONE) singles.push({ ...single, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs ?? NONE) {
    for (const verb of verbs) singles.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return singles;
}

function coversSingle(rule: PolicyRule, single: PolicyRule): boolean {
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE } = rule;
  const coversAll = (own: Texts, given: Texts = NONE): boolean => given.every((each) => hasOrAll(own, each));
  const [name] = single.resourceNames ?? NONE;
  return (
    coversAll(rule.verbs, single.verbs) &&
    coversAll(apiGroups, single.apiGroups) &&
    (single.resources ?? NONE).every((resource) => coversResource(resources, resource)) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))) &&
    (single.nonResourceURLs ?? NONE).every((path) => nonResourceURLs.some((url) => urlCovers(url, path)))
  );
}

function coversResource(resources: Texts, resource: string): boolean {
  const slash = resource.indexOf("/");
  return hasOrAll(resources, resource) || (slash >= 0 && resources.includes(`*${resource.slice(slash)}`));
}

/** One rule per line, sorted. Rules that differ only in their verb are merged. Upstream: CompactRules */
export function describeRules(singles: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  const lines = new Set<string>();
  for (const single of singles) {
    if (single.nonResourceURLs !== undefined) {
      lines.add(describeRule(single));
      continue;
    }
    const key = describeRule({ ...single, verbs: [] });
    const verbs = [...(merged.get(key)?.verbs ?? []), ...single.verbs];
    merged.set(key, { ...single, verbs });
  }
  for (const rule of merged.values()) lines.add(describeRule(rule));
  return [...lines].sort().join("\n");
}

function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const lists: readonly (readonly [string, Texts | undefined])[] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  const shown = lists.filter(([, list]) => (list ?? NONE).length > 0);
  return `{${shown.map(([name, list]) => `${name}:${quoteList(list ?? NONE)}`).join(", ")}}`;
}

/** As Go prints a list of strings with %q. */
export const quoteList = (texts: Texts): string => `[${texts.map((text) => goQuote(text)).join(" ")}]`;
