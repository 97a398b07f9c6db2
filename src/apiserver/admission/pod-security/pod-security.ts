// Pod security, by labels of the namespace: violations of the enforced level are refused, violations of the others
// cause warnings or audit annotations. Pod templates are never refused.
// Upstream: k8s.io/pod-security-admission/admission; plugin/pkg/admission/security/podsecurity

import { semanticEqual } from "#api/equality.ts";
import { errorText } from "#api/field-error.ts";
import type { Container, EphemeralContainer, Pod, PodSpec, PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { newForbidden, newInternalError, newInvalid } from "#api/status-error.ts";
import { aggregateText } from "#base/errors.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../admission.ts";
import type { ServerCore } from "../../core.ts";
import { type CheckedPod, detailsText, reasonsText, violationsOf } from "./checks.ts";
import {
  isPrivileged,
  isSameLevel,
  isStricter,
  type LevelVersion,
  levelLabel,
  levelText,
  type Mode,
  type ParsedPolicy,
  type Policy,
  PRIVILEGED,
  policyOf,
  versionLabel,
} from "./levels.ts";

export interface PodSecurityConfiguration {
  /** For namespaces without labels. */
  readonly defaults: Policy;
  readonly exemptions: {
    readonly usernames?: readonly string[];
    readonly namespaces?: readonly string[];
    readonly runtimeClasses?: readonly string[];
  };
}

const USUAL: PodSecurityConfiguration = { defaults: PRIVILEGED, exemptions: {} };

/** How many pods are checked when a namespace's enforced level changes. */
const CHECKED_PODS_MAX = 3000;

const IGNORED_SUBRESOURCES = ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];

type TemplateReader = (object: KubeObject) => PodTemplateSpec | undefined;

interface WithTemplate {
  readonly template?: PodTemplateSpec;
}

const ofSpec: TemplateReader = (object) => (object as { readonly spec?: WithTemplate }).spec?.template;

/** By resource: its group, and how to read its pod template. */
const TEMPLATES: ReadonlyMap<string, readonly [group: string, read: TemplateReader]> = new Map([
  ["replicationcontrollers", ["", ofSpec]],
  ["podtemplates", ["", (object) => (object as WithTemplate).template]],
  ["replicasets", ["apps", ofSpec]],
  ["deployments", ["apps", ofSpec]],
  ["statefulsets", ["apps", ofSpec]],
  ["daemonsets", ["apps", ofSpec]],
  ["jobs", ["batch", ofSpec]],
  [
    "cronjobs",
    [
      "batch",
      (object) =>
        (object as { readonly spec?: { readonly jobTemplate?: { readonly spec?: WithTemplate } } }).spec?.jobTemplate
          ?.spec?.template,
    ],
  ],
] as const satisfies readonly (readonly [string, readonly [string, TemplateReader]])[]);

export function podSecurity(core: () => ServerCore, configuration: PodSecurityConfiguration = USUAL): AdmissionPlugin {
  const { defaults, exemptions } = configuration;
  const isExemptNamespace = (name: string): boolean => exemptions.namespaces?.includes(name) ?? false;
  const isExemptClass = ({ runtimeClassName = "" }: PodSpec): boolean =>
    runtimeClassName !== "" && (exemptions.runtimeClasses?.includes(runtimeClassName) ?? false);

  return {
    name: "PodSecurity",
    handles: ({ operation, resource }) =>
      (operation === "CREATE" || operation === "UPDATE") &&
      ((resource.group === "" && (resource.resource === "pods" || resource.resource === "namespaces")) ||
        templateReader(resource) !== undefined),
    validate(attributes) {
      const { resource, subresource } = attributes;
      if (resource.group === "" && resource.resource === "namespaces") {
        if (subresource === "") validateNamespace(attributes);
      } else if (resource.group === "" && resource.resource === "pods") {
        if (!IGNORED_SUBRESOURCES.includes(subresource)) validatePod(attributes);
      } else if (subresource === "") validateTemplate(attributes);
    },
  };

  function validateNamespace(attributes: AdmissionAttributes): void {
    const namespace = attributes.object as KubeObject;
    const { policy, errors } = policyOf(namespace.metadata?.labels, defaults);
    const old = attributes.oldObject && policyOf(attributes.oldObject.metadata?.labels, defaults);
    if (errors.length > 0 && (old === undefined || !semanticEqual(errors.map(errorText), old.errors.map(errorText)))) {
      throw newInvalid(attributes.kind, attributes.name, errors);
    }
    const isExempt = isExemptNamespace(attributes.namespace);
    if (old !== undefined && !isMoreEnforced(policy.enforce, old.policy.enforce)) return;
    if (isExempt) {
      const warning = exemptWarning(namespace, policy);
      if (warning !== undefined) attributes.addWarning(warning);
    } else if (old !== undefined) {
      for (const text of warningsAboutPods(attributes.name, policy.enforce)) attributes.addWarning(text);
    }
  }

  function validatePod(attributes: AdmissionAttributes): void {
    if (isExempt(attributes)) return;
    const parsed = policyOfNamespace(attributes.namespace);
    if (parsed === undefined) throw newInternalError(`failed to lookup namespace ${goQuote(attributes.namespace)}`);
    if (parsed.errors.length === 0 && isPrivileged(parsed.policy)) {
      note(attributes, "enforce-policy", "privileged:latest");
      return;
    }
    const pod = attributes.object as Pod;
    if (attributes.operation === "UPDATE" && !changesImages(pod, attributes.oldObject as Pod)) return;
    evaluate(attributes, parsed, podOf(pod), true);
  }

  function validateTemplate(attributes: AdmissionAttributes): void {
    if (isExempt(attributes)) return;
    const parsed = policyOfNamespace(attributes.namespace);
    if (parsed === undefined) {
      const { namespace } = attributes;
      note(
        attributes,
        "error",
        `failed to lookup namespace ${goQuote(namespace)}: namespace ${goQuote(namespace)} not found`,
      );
      return;
    }
    const { warn, audit } = parsed.policy;
    if (parsed.errors.length === 0 && warn.level === "privileged" && audit.level === "privileged") return;
    const template = templateReader(attributes.resource)?.(attributes.object as KubeObject);
    if (template !== undefined) evaluate(attributes, parsed, podOf(template), false);
  }

  function isExempt(attributes: AdmissionAttributes): boolean {
    const why = isExemptNamespace(attributes.namespace)
      ? "namespace"
      : exemptions.usernames?.includes(attributes.user.name)
        ? "user"
        : undefined;
    if (why !== undefined) note(attributes, "exempt", why);
    return why !== undefined;
  }

  function evaluate(
    attributes: AdmissionAttributes,
    { policy, errors }: ParsedPolicy,
    pod: CheckedPod,
    enforces: boolean,
  ): void {
    if (isExemptClass(pod.spec)) {
      note(attributes, "exempt", "runtimeClass");
      return;
    }
    if (errors.length > 0) {
      note(attributes, "error", `Failed to parse policy: ${aggregateText(errors.map(errorText))}`);
    }
    const problem = (mode: Mode, verb: string): string | undefined => {
      const violations = violationsOf(policy[mode], pod);
      if (violations.length === 0) return undefined;
      return `${verb} PodSecurity ${goQuote(levelText(policy[mode]))}: ${detailsText(violations)}`;
    };
    if (enforces) note(attributes, "enforce-policy", levelText(policy.enforce));
    const audited = problem("audit", "would violate");
    if (audited !== undefined) note(attributes, "audit-violations", audited);
    const refused = enforces ? problem("enforce", "violates") : undefined;
    if (refused !== undefined) throw newForbidden(attributes.resource, attributes.name, refused);
    const warning = problem("warn", "would violate");
    if (warning !== undefined) attributes.addWarning(warning);
  }

  function policyOfNamespace(name: string): ParsedPolicy | undefined {
    const namespace = core().kindServer.objects("namespaces").get("", name)?.object;
    return namespace && policyOf(namespace.metadata?.labels, defaults);
  }

  function warningsAboutPods(namespace: string, enforce: LevelVersion): readonly string[] {
    const stored = [...core().kindServer.objects("pods").list(namespace)].map(({ object }) => object as Pod);
    const pods = prioritized(stored.filter(({ spec }) => spec && !isExemptClass(spec)));
    const checked = pods.slice(0, CHECKED_PODS_MAX);
    const byWarning = Map.groupBy(checked, (pod) => reasonsText(violationsOf(enforce, podOf(pod))));
    byWarning.delete("");
    const about = [...byWarning].map(([reasons, list]) => {
      const [first = "", ...others] = list.map(({ metadata }) => metadata?.name ?? "").sort();
      const more = others.length === 0 ? "" : ` (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
      return `${first}${more}: ${reasons}`;
    });
    return [
      ...(checked.length < pods.length
        ? [
            `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
          ]
        : []),
      ...(about.length > 0
        ? [
            `existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${goQuote(levelText(enforce))}`,
          ]
        : []),
      ...about.sort(),
    ];
  }

  /** A policy in an exempt namespace has no effect. */
  function exemptWarning({ metadata }: KubeObject, policy: Policy): string | undefined {
    const isEquivalent = (mode: Mode): boolean =>
      isSameLevel(policy[mode], defaults[mode]) ||
      (policy[mode].level === "privileged" && defaults[mode].level === "privileged");
    const modes = ["enforce", "audit", "warn"] as const;
    if (isPrivileged(policy) || modes.every(isEquivalent)) return undefined;
    const labels = metadata?.labels ?? {};
    const given = modes.filter(
      (mode) =>
        policy[mode].level !== "privileged" &&
        (labels[levelLabel(mode)] !== undefined || labels[versionLabel(mode)] !== undefined),
    );
    const text = given.map((mode) => `${mode}=${levelText(policy[mode])}`).join(", ");
    return `namespace ${goQuote(metadata?.name ?? "")} is exempt from Pod Security, and the policy (${text}) will be ignored`;
  }
}

function templateReader({ group, resource }: AdmissionAttributes["resource"]): TemplateReader | undefined {
  const [ofGroup, read] = TEMPLATES.get(resource) ?? [];
  return ofGroup === group ? read : undefined;
}

function note(attributes: AdmissionAttributes, key: string, value: string): void {
  attributes.addAuditAnnotation(`pod-security.kubernetes.io/${key}`, value);
}

const podOf = ({ metadata = {}, spec = { containers: [] } }: Pod | PodTemplateSpec): CheckedPod => ({ metadata, spec });

/** Whether existing pods may violate the new level but not the old one. */
function isMoreEnforced(enforce: LevelVersion, old: LevelVersion): boolean {
  if (isSameLevel(enforce, old) || enforce.level === "privileged") return false;
  return enforce.version !== old.version || isStricter(enforce.level, old.level);
}

function changesImages({ spec }: Pod, { spec: old }: Pod): boolean {
  const differ = (one: readonly Container[] = [], other: readonly Container[] = []): boolean =>
    one.length !== other.length || one.some(({ image = "" }, i) => image !== (other[i]?.image ?? ""));
  const before = new Map((old?.ephemeralContainers ?? []).map((one) => [one.name, one.image ?? ""]));
  return (
    differ(spec?.containers, old?.containers) ||
    differ(spec?.initContainers, old?.initContainers) ||
    (spec?.ephemeralContainers ?? []).some(({ name, image = "" }: EphemeralContainer) => before.get(name) !== image)
  );
}

/** One pod of each controller comes first. */
function prioritized(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const repeated: Pod[] = [];
  const first = pods.filter((pod) => {
    const controller = getControllerOf(pod as KubeObject)?.uid;
    if (controller === undefined) return true;
    if (!seen.has(controller)) return seen.add(controller);
    repeated.push(pod);
    return false;
  });
  return [...first, ...repeated];
}
