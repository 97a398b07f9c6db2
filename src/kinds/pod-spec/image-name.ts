// The tag of a container image, as the kubelet and defaulting parse it.
// Upstream: pkg/util/parsers, ParseImageName, on github.com/distribution/reference

const PATH_COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const DOMAIN_COMPONENT = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const DOMAIN = `(?:${DOMAIN_COMPONENT}(?:\\.${DOMAIN_COMPONENT})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const REFERENCE = new RegExp(
  `^((?:${DOMAIN}/)?${PATH_COMPONENT}(?:/${PATH_COMPONENT})*)` +
    "(?::(\\w[\\w.-]{0,127}))?" +
    "(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$",
);
const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** "latest" without tag and digest; undefined if the name is not a valid reference. */
export function imageTag(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const { domain, remainder } = splitDomain(image);
  const colon = remainder.indexOf(":");
  const path = colon < 0 ? remainder : remainder.slice(0, colon);
  if (path.toLowerCase() !== path) return undefined;
  const match = REFERENCE.exec(`${domain}/${remainder}`);
  if (match === null || (match[1] ?? "").length > 255) return undefined;
  const [, , tag = "", digest = ""] = match;
  if (digest !== "" && !isKnownDigest(digest)) return undefined;
  return tag === "" && digest === "" ? "latest" : tag;
}

function isKnownDigest(digest: string): boolean {
  const [algorithm = "", hex = ""] = digest.split(":");
  return (
    Object.hasOwn(DIGEST_LENGTHS, algorithm) && DIGEST_LENGTHS[algorithm] === hex.length && /^[a-f0-9]+$/.test(hex)
  );
}

function splitDomain(image: string): { domain: string; remainder: string } {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  const domain = isDomain && first !== "index.docker.io" ? first : "docker.io";
  const remainder = isDomain ? image.slice(slash + 1) : image;
  return { domain, remainder: domain === "docker.io" && !remainder.includes("/") ? `library/${remainder}` : remainder };
}
