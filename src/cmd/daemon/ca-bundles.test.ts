import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { noLog } from "#base/log.ts";
import { testClock } from "#base/testing.ts";
import { defaultOptions } from "#manager/options/options.ts";
import { issueCertificate } from "#platform/certificates/x509.ts";
import { CaBundles } from "./ca-bundles.ts";
import { CertificateLog } from "./certificate-log.ts";

const directory = mkdtempSync(join(tmpdir(), "ca-bundles-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const authority = (commonName: string): string =>
  issueCertificate({ commonName, isCa: true, notBefore: 0, notAfter: Date.UTC(2100, 0) }).certificatePem;
const [first, second] = [authority("first"), authority("second")];
const { authentication } = defaultOptions;
const names = { usernameHeaders: [], uidHeaders: [], groupHeaders: [], extraHeaderPrefixes: [], allowedNames: [] };
const inCluster = (clientCa: string) => ({ clientCa, requestHeaderCa: "", requestHeader: names });
const refuse = (): void => {
  throw new Error("refused by TLS");
};
const bundles = (options = authentication): CaBundles => new CaBundles(options, new CertificateLog(noLog, testClock()));

it("machinery/2.1.3 applies the cluster's bundles only together with TLS", () => {
  const subject = bundles();
  subject.startWith(inCluster(first));
  expect(() => subject.follow(inCluster(second), refuse)).toThrow("refused by TLS");
  expect([subject.clientCa, subject.list().map(({ pem }) => pem)]).toEqual([first, [first]]);
  const applied: string[] = [];
  subject.follow(inCluster(second), (cas) => applied.push(...cas.map(({ pem }) => pem)));
  expect([subject.clientCa, applied]).toEqual([second, [second]]);
});

it("machinery/2.1.3 keeps the old bundle when the cluster's new one has no certificate in it", () => {
  const subject = bundles();
  subject.startWith(inCluster(first));
  let calls = 0;
  expect(() => subject.follow(inCluster("junk"), () => calls++)).toThrow(
    'error loading CA bundle for "client-ca::kube-system::extension-apiserver-authentication::client-ca-file"',
  );
  expect([subject.clientCa, calls]).toEqual([first, 0]);
});

it("machinery/2.4.2 applies files only together with TLS", () => {
  const clientCaFile = join(directory, "ca.crt");
  writeFileSync(clientCaFile, first);
  const subject = bundles({ ...authentication, clientCaFile });
  subject.readClientCa();
  writeFileSync(clientCaFile, second);
  expect(() => subject.reread(refuse)).toThrow("refused by TLS");
  expect(subject.clientCa).toBe(first);
  subject.reread(() => undefined);
  expect(subject.clientCa).toBe(second);
});
