// Certificate signing requests of scenarios. The key is the same in each play, so the requests are equal too.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import type { CertificateSigningRequestSpec } from "#api/generated/types/certificates-v1.ts";
import { encodePem } from "#api/pem.ts";
import type { Stage, StageUser } from "./stage.ts";

export interface RequestContent {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly emailAddresses?: readonly string[];
  readonly ipAddresses?: readonly (readonly number[])[];
}

/** The requester, unless a scenario names another. */
export const REQUESTER: StageUser = { name: "requester", groups: ["system:masters"] };

export const KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet";
export const KUBELET_SERVING = "kubernetes.io/kubelet-serving";
export const API_SERVER_CLIENT = "kubernetes.io/kube-apiserver-client";

/** The subject of a kubelet's request. */
export const NODE: RequestContent = { commonName: "system:node:a", organizations: ["system:nodes"] };
export const CLIENT_USAGES: readonly string[] = ["key encipherment", "digital signature", "client auth"];

type Spec = Partial<Omit<CertificateSigningRequestSpec, "request">>;

/** Creates a request of this name, for a client certificate unless the spec says otherwise. */
export async function createRequest(
  stage: Stage,
  name: string,
  content: RequestContent,
  spec: Spec,
  user: StageUser = REQUESTER,
): Promise<void> {
  await stage
    .as(user)
    .of(CertificateSigningRequests)
    .create({
      metadata: { name },
      spec: { signerName: API_SERVER_CLIENT, usages: ["client auth"], ...spec, request: btoa(requestPem(content)) },
    });
}

export async function decide(stage: Stage, name: string, type: "Approved" | "Denied", at?: string): Promise<void> {
  const condition = {
    type,
    status: "True",
    reason: "Test",
    message: "",
    ...(at === undefined ? {} : { lastUpdateTime: at }),
  };
  const patch = { status: { conditions: [condition] } };
  await stage.of(CertificateSigningRequests).patch(name, patch, { subresource: "approval" });
}

export function requestPem(content: RequestContent): string {
  const key = fixedKey();
  const info = sequence(
    integer(0),
    nameOf(content),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    tagged(0xa0, ...attributes(content)),
  );
  const signature = sign(null, info, key);
  const der = sequence(info, sequence(oid("2b6570")), tagged(0x03, Buffer.from([0]), signature));
  return encodePem("CERTIFICATE REQUEST", der);
}

/** An Ed25519 key: its signatures are deterministic. */
function fixedKey(): KeyObject {
  const seed = createHash("sha256").update("the key of scenarios").digest();
  const der = sequence(integer(0), sequence(oid("2b6570")), tagged(0x04, tagged(0x04, seed)));
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

function nameOf({ organizations = [], commonName }: RequestContent): Buffer {
  const attribute = (id: string, text: string): Buffer =>
    tagged(0x31, sequence(oid(id), tagged(0x0c, Buffer.from(text))));
  return sequence(
    ...organizations.map((organization) => attribute("55040a", organization)),
    ...(commonName === undefined ? [] : [attribute("550403", commonName)]),
  );
}

/** The attribute that requests the extension with alternative names. */
function attributes({ dnsNames = [], emailAddresses = [], ipAddresses = [] }: RequestContent): readonly Buffer[] {
  const names = [
    ...dnsNames.map((name) => tagged(0x82, Buffer.from(name))),
    ...emailAddresses.map((name) => tagged(0x81, Buffer.from(name))),
    ...ipAddresses.map((bytes) => tagged(0x87, Buffer.from(bytes))),
  ];
  if (names.length === 0) return [];
  const extension = sequence(oid("551d11"), tagged(0x04, sequence(...names)));
  return [sequence(oid("2a864886f70d01090e"), tagged(0x31, sequence(extension)))];
}

const LONG = 0x80;

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length: n } = content;
  const length = n < LONG ? [n] : n < 256 ? [LONG | 1, n] : [LONG | 2, n >> 8, n & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const integer = (value: number): Buffer => tagged(0x02, Buffer.from([value]));
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, "hex"));
