// Secrets and the places where daemon-secrets.test.ts plants them: files, plugins, and wrong versions of both.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigText } from "./idle-daemon.ts";

/** Looks like base64, so that decoding it, or failing to, leaves it recognisable. */
export const SECRET = "c2VjcmV0LXBsYW50ZWQ";
const directory = mkdtempSync(join(tmpdir(), "daemon-secrets-"));
const execVersion = "client.authentication.k8s.io/v1";

export function removeFiles(): void {
  rmSync(directory, { recursive: true, force: true });
}

let files = 0;
export function file(text: string, mode = 0o600): string {
  const path = join(directory, `file-${++files}`);
  writeFileSync(path, text, { mode });
  return path;
}

/** A credential plugin: a shell script. */
export function plugin(script: string): object {
  const env = [{ name: "X", value: `${SECRET}-env` }];
  const command = file(`#!/bin/sh\n${script}\n`, 0o755);
  return { exec: { apiVersion: execVersion, command, args: [`${SECRET}-argument`], interactiveMode: "Never", env } };
}

export function credential(status: object, apiVersion: string = execVersion): string {
  return `echo '${JSON.stringify({ apiVersion, kind: "ExecCredential", status })}'`;
}

const nowhere = "https://127.0.0.1:1";
export const withUser = (user: object, cluster: object = {}): string => file(kubeconfigText(nowhere, user, cluster));
const notPem = Buffer.from(`${SECRET} is no PEM`).toString("base64");
/** Each case is wrong in a different way and ends the program or keeps it from working. */
export const wrongCases: readonly { readonly where: string; readonly flags: () => readonly string[] }[] = [
  {
    where: "a token that no header takes",
    flags: () => [`--kubeconfig=${withUser({ token: `a\n${SECRET}\r\nb` })}`],
  },
  {
    where: "a password that no header takes",
    flags: () => [`--kubeconfig=${withUser({ username: "\u0000", password: `\u0000${SECRET}` })}`],
  },
  {
    where: "a server's URL",
    flags: () => [`--kubeconfig=${file(kubeconfigText(`https://user:${SECRET}@127.0.0.1:1`, {}))}`],
  },
  {
    where: "a server's URL that is none",
    flags: () => [`--kubeconfig=${file(kubeconfigText(`https://user:${SECRET}@127.0.0.1:x`, {}))}`],
  },
  {
    where: "a proxy's URL",
    flags: () => [`--kubeconfig=${withUser({}, { "proxy-url": `http://user:${SECRET}@127.0.0.1:1` })}`],
  },
  {
    where: "a proxy's URL that is none",
    flags: () => [`--kubeconfig=${withUser({}, { "proxy-url": `ht!tp://user:${SECRET}@x:y` })}`],
  },
  {
    where: "a kubeconfig that is no YAML",
    flags: () => [`--kubeconfig=${file(`users:\n- name: u\n  user: {token: ${SECRET}\nx`)}`],
  },
  {
    where: "a kubeconfig with a tab",
    flags: () => [`--kubeconfig=${file(`users:\n- name: u\n\tuser: {token: "${SECRET}"}\n`)}`],
  },
  {
    where: "a kubeconfig of other types",
    flags: () => [`--kubeconfig=${withUser({ token: [SECRET], password: { a: SECRET } })}`],
  },
  {
    where: "a kubeconfig with the token in the wrong place",
    flags: () => [
      `--kubeconfig=${file(JSON.stringify({ users: SECRET, contexts: [SECRET], "current-context": "x" }))}`,
    ],
  },
  {
    where: "a key that is not base64",
    flags: () => [`--kubeconfig=${withUser({ "client-key-data": `${SECRET}!`, "client-certificate-data": "!" })}`],
  },
  {
    where: "a key that is no PEM",
    flags: () => [`--kubeconfig=${withUser({ "client-key-data": notPem, "client-certificate-data": notPem })}`],
  },
  {
    where: "a key's file that is no PEM",
    flags: () => [`--kubeconfig=${withUser({ "client-key": file(SECRET), "client-certificate": file(SECRET) })}`],
  },
  { where: "a plugin that fails", flags: () => [`--kubeconfig=${withUser(plugin(`echo ${SECRET}; exit 1`))}`] },
  { where: "a plugin that talks", flags: () => [`--kubeconfig=${withUser(plugin(`echo 'token: ${SECRET}'`))}`] },
  {
    where: "a plugin of another version",
    flags: () => [`--kubeconfig=${withUser(plugin(credential({ token: SECRET }, "other/v1")))}`],
  },
  {
    where: "a plugin with a token of another type",
    flags: () => [
      `--kubeconfig=${withUser(plugin(credential({ token: { a: SECRET }, expirationTimestamp: SECRET })))}`,
    ],
  },
  {
    where: "a plugin with a bad key",
    flags: () => [
      `--kubeconfig=${withUser(plugin(credential({ clientKeyData: SECRET, clientCertificateData: SECRET })))}`,
    ],
  },
  {
    where: "a plugin that does not exist",
    flags: () => [
      `--kubeconfig=${withUser({ exec: { apiVersion: execVersion, command: "/missing", args: [SECRET], interactiveMode: "Never", env: [{ name: "X", value: SECRET }] } })}`,
    ],
  },
  {
    where: "the port's key",
    flags: () => [`--tls-private-key-file=${file(SECRET)}`, `--tls-cert-file=${file(SECRET)}`, "--secure-port=10259"],
  },
];
