// The Go package of a group's internal types, which some of upstream's messages name.

/** "internal.apiserver.k8s.io" has the one package that is not named by the first word of its group. */
export function goPackageOf(group: string): string {
  const [word = ""] = group.split(".");
  return word === "internal" ? "apiserverinternal" : word || "core";
}
