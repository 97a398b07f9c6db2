// What is in certificates and their files, from the texts that PEM and the runtimes make of it. Pure.

/** The certificates of a bundle, one by one; other blocks do not matter. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** Of "DNS:localhost, IP Address:127.0.0.1". Those with odd characters are in quotes, in which a comma does not end them. */
export function alternativeNames(text: string | undefined, kind: "DNS" | "IP Address"): readonly string[] {
  const entries = (text ?? "").match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? [];
  const start = `${kind}:`;
  return entries.flatMap((entry) => (entry.trim().startsWith(start) ? [entry.trim().slice(start.length)] : []));
}
