// Reads certificates from PEM bundles, and names from the text that the runtimes print. Pure.

/** The certificates of a bundle, one by one. Other PEM blocks are ignored. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** Names of one kind from "DNS:localhost, IP Address:127.0.0.1". A quoted name may contain commas. */
export function alternativeNames(text: string | undefined, kind: "DNS" | "IP Address"): readonly string[] {
  const entries = (text ?? "").match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? [];
  const start = `${kind}:`;
  return entries.flatMap((entry) => (entry.trim().startsWith(start) ? [entry.trim().slice(start.length)] : []));
}
