// The Go package of a group's internal types, which some of upstream's messages contain.

/** "internal.apiserver.k8s.io" is the only group whose package is not the first word of its name. */
export function goPackageOf(group: string): string {
  const [word = ""] = group.split(".");
  return word === "internal" ? "apiserverinternal" : word || "core";
}
