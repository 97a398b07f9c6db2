// Metrics of autoscaling/v2 in the form of v1, for annotations. Fields are in the order of Go's structs, since clients
// see the text. Upstream: pkg/apis/autoscaling/v1/conversion.go

export type Fields = Readonly<Record<string, unknown>>;

export const asFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Drops undefined and null values. */
export function compact(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

type Conversion = (source: Fields) => Fields;
type Source = "object" | "pods" | "resource" | "containerResource" | "external";

/** Converts each source that is set, in Go's order. */
function convertMetric(metric: unknown, conversions: Readonly<Record<Source, Conversion>>): Fields {
  const { type = "", ...sources } = asFields(metric);
  const converted: Record<string, unknown> = { type };
  for (const [source, convert] of Object.entries(conversions)) {
    const given = sources[source];
    if (given !== undefined && given !== null) converted[source] = convert(asFields(given));
  }
  return converted;
}

const ZERO = "0";

function referenceText(reference: unknown): Fields {
  const { kind = "", name = "", apiVersion } = asFields(reference);
  return compact({ kind, name, apiVersion: apiVersion || undefined });
}

function selectorText(selector: unknown): unknown {
  if (selector === undefined || selector === null) return undefined;
  const { matchLabels, matchExpressions } = asFields(selector);
  const sorted = matchLabels && Object.fromEntries(Object.entries(asFields(matchLabels)).sort(byKey));
  const expressions =
    matchExpressions &&
    asList(matchExpressions).map((expression) => {
      const { key, operator, values } = asFields(expression);
      return compact({ key, operator, values });
    });
  return compact({ matchLabels: sorted, matchExpressions: expressions });
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function identifierOf({ metric }: Fields): { readonly metricName: unknown; readonly selector: unknown } {
  const { name = "", selector } = asFields(metric);
  return { metricName: name, selector: selectorText(selector) };
}

const targetOf = ({ target }: Fields): Fields => asFields(target);
const currentOf = ({ current }: Fields): Fields => asFields(current);

const resourceToV1: Conversion = (source) => {
  const { averageUtilization, averageValue } = targetOf(source);
  return compact({ name: source.name, targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
};

export const metricToV1 = (metric: unknown): Fields =>
  convertMetric(metric, {
    object(source) {
      const { metricName, selector } = identifierOf(source);
      const { value = ZERO, averageValue } = targetOf(source);
      const target = referenceText(source.describedObject);
      return compact({ target, metricName, targetValue: value, selector, averageValue });
    },
    pods(source) {
      const { metricName, selector } = identifierOf(source);
      return compact({ metricName, targetAverageValue: targetOf(source).averageValue ?? ZERO, selector });
    },
    resource: resourceToV1,
    containerResource: (source) => ({ ...resourceToV1(source), container: source.container ?? "" }),
    external(source) {
      const { metricName, selector } = identifierOf(source);
      const { value, averageValue } = targetOf(source);
      return compact({ metricName, metricSelector: selector, targetValue: value, targetAverageValue: averageValue });
    },
  });

const resourceStatusToV1: Conversion = (source) => {
  const { averageUtilization, averageValue = ZERO } = currentOf(source);
  return compact({
    name: source.name,
    currentAverageUtilization: averageUtilization,
    currentAverageValue: averageValue,
  });
};

export const metricStatusToV1 = (status: unknown): Fields =>
  convertMetric(status, {
    object(source) {
      const { metricName, selector } = identifierOf(source);
      const { value = ZERO, averageValue } = currentOf(source);
      const target = referenceText(source.describedObject);
      return compact({ target, metricName, currentValue: value, selector, averageValue });
    },
    pods(source) {
      const { metricName, selector } = identifierOf(source);
      return compact({ metricName, currentAverageValue: currentOf(source).averageValue ?? ZERO, selector });
    },
    resource: resourceStatusToV1,
    containerResource: (source) => ({ ...resourceStatusToV1(source), container: source.container ?? "" }),
    external(source) {
      const { metricName, selector } = identifierOf(source);
      const { value = ZERO, averageValue } = currentOf(source);
      return compact({ metricName, metricSelector: selector, currentValue: value, currentAverageValue: averageValue });
    },
  });

const identifier = (name: unknown, selector: unknown): Fields => compact({ name: name ?? "", selector });

const resourceToV2: Conversion = ({ name, targetAverageUtilization, targetAverageValue }) => ({
  name: name ?? "",
  target: compact({
    type: (targetAverageUtilization ?? undefined) === undefined ? "AverageValue" : "Utilization",
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  }),
});

const isZero = (quantity: unknown): boolean => /^0+(\.0*)?[a-zA-Z]*$/.test(String(quantity ?? ZERO));

export const metricToV2 = (metric: unknown): Fields =>
  convertMetric(metric, {
    object({ target, metricName, targetValue = ZERO, selector, averageValue }) {
      const hasAverage = (averageValue ?? undefined) !== undefined;
      const wanted = {
        type: hasAverage ? "AverageValue" : "Value",
        value: hasAverage && isZero(targetValue) ? undefined : targetValue,
        averageValue,
      };
      return { describedObject: target, metric: identifier(metricName, selector), target: compact(wanted) };
    },
    pods: ({ metricName, selector, targetAverageValue = ZERO }) => ({
      metric: identifier(metricName, selector),
      target: { type: "AverageValue", averageValue: targetAverageValue },
    }),
    resource: resourceToV2,
    containerResource: (source) => ({ ...resourceToV2(source), container: source.container ?? "" }),
    external({ metricName, metricSelector, targetValue, targetAverageValue }) {
      const type = (targetValue ?? undefined) === undefined ? "AverageValue" : "Value";
      const target = compact({ type, value: targetValue, averageValue: targetAverageValue });
      return { metric: identifier(metricName, metricSelector), target };
    },
  });

const resourceStatusToV2: Conversion = ({ name, currentAverageUtilization, currentAverageValue = ZERO }) => ({
  name: name ?? "",
  current: compact({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization }),
});

export const metricStatusToV2 = (status: unknown): Fields =>
  convertMetric(status, {
    object: ({ target, metricName, selector, currentValue = ZERO, averageValue }) => ({
      describedObject: target,
      metric: identifier(metricName, selector),
      current: compact({ value: currentValue, averageValue }),
    }),
    pods: ({ metricName, selector, currentAverageValue = ZERO }) => ({
      metric: identifier(metricName, selector),
      current: { averageValue: currentAverageValue },
    }),
    resource: resourceStatusToV2,
    containerResource: (source) => ({ ...resourceStatusToV2(source), container: source.container ?? "" }),
    external: ({ metricName, metricSelector, currentValue = ZERO, currentAverageValue }) => ({
      metric: identifier(metricName, metricSelector),
      current: compact({ value: currentValue, averageValue: currentAverageValue }),
    }),
  });
