// The resources of an aggregated server's version: from its aggregated discovery document, or converted from the legacy
// list. Upstream: kube-aggregator pkg/apiserver/handler_discovery.go,
// k8s.io/apiserver/pkg/endpoints/discovery/aggregated

type Document = Readonly<Record<string, unknown>>;

export const DISCOVERY_ACCEPT: string = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList;q=0.9",
  "application/json;q=0.8",
].join(",");

interface DiscoveryList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly { readonly version?: string; readonly resources?: readonly unknown[] }[];
  }[];
}

interface ListedResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Undefined if the document has the legacy form or lacks the version. */
export function resourcesIn(document: unknown, group: string, version: string): readonly unknown[] | undefined {
  const { kind, items = [] } = document as DiscoveryList;
  if (kind !== "APIGroupDiscoveryList") return undefined;
  const versions = items.find(({ metadata }) => metadata?.name === group)?.versions ?? [];
  return versions.find((each) => each.version === version)?.resources;
}

/** document: the list at "/apis/<group>/<version>". */
export function resourcesOfList(document: unknown, group: string, version: string): readonly unknown[] {
  const { resources = [] } = document as { resources?: readonly ListedResource[] };
  const kindOf = (resource: ListedResource): Document => ({
    group: resource.group ?? group,
    version: resource.version ?? version,
    kind: resource.kind ?? "",
  });
  const main = resources.filter(({ name }) => !name.includes("/"));
  return main.map((resource) => {
    const below = resources.filter(({ name }) => name.startsWith(`${resource.name}/`));
    const { name, singularName = "", namespaced = false, verbs = [], shortNames, categories } = resource;
    return {
      resource: name,
      responseKind: kindOf(resource),
      scope: namespaced ? "Namespaced" : "Cluster",
      singularResource: singularName,
      verbs,
      ...(shortNames && { shortNames }),
      ...(categories && { categories }),
      ...(below.length > 0 && {
        subresources: below.map((each) => ({
          subresource: each.name.slice(name.length + 1),
          responseKind: kindOf(each),
          verbs: each.verbs ?? [],
        })),
      }),
    };
  });
}
