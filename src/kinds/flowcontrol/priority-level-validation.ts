// Validation of priority levels. Upstream: pkg/apis/flowcontrol/validation, ValidatePriorityLevelConfiguration

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { flowConditions } from "./flow-parts.ts";
import { MANDATORY_PRIORITY_LEVELS } from "./mandatory.ts";

type Spec = Partial<flow.PriorityLevelConfigurationSpec>;

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const LIMITED = SPEC.child("limited");
const RESPONSE = LIMITED.child("limitResponse");
const QUEUES_MAX = 10_000_000;
/** How many bits of a hash shuffle sharding may use. */
const ENTROPY_BITS_MAX = 60;
/** Only the conversion from an older version may set this annotation. */
const ROUND_TRIP_ANNOTATION = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

export function validatePriorityLevel(level: flow.PriorityLevelConfiguration): field.FieldError[] {
  const errors: Errors = [];
  const { metadata = {}, status } = level;
  const spec: Spec = level.spec ?? {};
  objectMeta(errors, metadata, false, isDns1123Subdomain, METADATA);
  if (metadata.annotations?.[ROUND_TRIP_ANNOTATION] !== undefined) {
    errors.push(field.forbidden(METADATA.child("annotations"), `annotation '${ROUND_TRIP_ANNOTATION}' is forbidden`));
  }
  levelSpec(errors, metadata.name ?? "", spec);
  mandatory(errors, metadata.name ?? "", spec);
  flowConditions(errors, status);
  return errors;
}

function mandatory(errors: Errors, name: string, spec: Spec): void {
  const fixed = MANDATORY_PRIORITY_LEVELS[name];
  if (fixed === undefined) return;
  const isExempt = name === "exempt";
  if (semanticEqual(isExempt ? put(spec, "exempt", fixed.exempt) : spec, fixed)) return;
  const whole = isExempt ? " except the 'spec.exempt' field" : "";
  const shown = internalForm("PriorityLevelConfigurationSpec", spec);
  errors.push(field.invalid(SPEC, shown, `spec of '${name}'${whole} must equal the fixed value`));
}

function levelSpec(errors: Errors, name: string, { type = "", exempt, limited }: Spec): void {
  const typePath = SPEC.child("type");
  if ((name === "exempt") !== (type === "Exempt")) {
    errors.push(field.invalid(typePath, type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === "Exempt") {
    if (limited) errors.push(field.forbidden(LIMITED, "must be nil if the type is not Limited"));
    if (!exempt) return;
    shares(errors, exempt.nominalConcurrencyShares, SPEC.child("exempt"));
    lendable(errors, exempt.lendablePercent, SPEC.child("exempt"));
  } else if (type === "Limited") {
    if (exempt) errors.push(field.forbidden(SPEC.child("exempt"), "must be nil if the type is Limited"));
    if (limited) limitedLevel(errors, limited);
    else errors.push(field.required(LIMITED, "must not be empty when type is Limited"));
  } else typeError(errors, type, typePath, ["Exempt", "Limited"]);
}

function typeError(errors: Errors, type: string, path: Path, supported: readonly string[]): void {
  errors.push(type === "" ? field.required(path, "") : field.notSupported(path, type, supported));
}

function shares(errors: Errors, value: number | undefined, path: Path): void {
  if (value === undefined || value >= 0) return;
  errors.push(field.invalid(path.child("nominalConcurrencyShares"), value, "must be a non-negative integer"));
}

function lendable(errors: Errors, value: number | undefined, path: Path): void {
  if (value === undefined || (value >= 0 && value <= 100)) return;
  errors.push(field.invalid(path.child("lendablePercent"), value, "must be between 0 and 100, inclusive"));
}

function limitedLevel(errors: Errors, limited: flow.LimitedPriorityLevelConfiguration): void {
  const { borrowingLimitPercent: borrowing } = limited;
  shares(errors, limited.nominalConcurrencyShares, LIMITED);
  limitResponse(errors, limited.limitResponse ?? {});
  lendable(errors, limited.lendablePercent, LIMITED);
  if (borrowing !== undefined && borrowing < 0) {
    const path = LIMITED.child("borrowingLimitPercent");
    errors.push(field.invalid(path, borrowing, "if specified, must be a non-negative integer"));
  }
}

function limitResponse(errors: Errors, { type = "", queuing: queues }: Partial<flow.LimitResponse>): void {
  const path = RESPONSE.child("queuing");
  if (type === "Reject") {
    const detail = "must be nil if limited.limitResponse.type is not Limited";
    if (queues) errors.push(field.forbidden(path, detail));
  } else if (type === "Queue") {
    if (queues) queuing(errors, queues, path);
    else errors.push(field.required(path, "must not be empty if limited.limitResponse.type is Limited"));
  } else typeError(errors, type, RESPONSE.child("type"), ["Queue", "Reject"]);
}

function queuing(errors: Errors, config: flow.QueuingConfiguration, path: Path): void {
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = config;
  const wrong = (part: keyof flow.QueuingConfiguration, value: number, detail: string): void => {
    errors.push(field.invalid(path.child(part), value, detail));
  };
  if (queueLengthLimit <= 0) wrong("queueLengthLimit", queueLengthLimit, "must be positive");
  if (queues <= 0) wrong("queues", queues, "must be positive");
  else if (queues > QUEUES_MAX) wrong("queues", queues, `must not be greater than ${QUEUES_MAX}`);
  if (handSize <= 0) wrong("handSize", handSize, "must be positive");
  else if (handSize > queues) wrong("handSize", handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > ENTROPY_BITS_MAX) {
    const bits = `required entropy bits of deckSize ${queues} and handSize ${handSize}`;
    wrong("handSize", handSize, `${bits} should not be greater than ${ENTROPY_BITS_MAX}`);
  }
}
