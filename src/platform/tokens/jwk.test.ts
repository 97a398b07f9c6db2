import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { publicJwk } from "./jwk.ts";
import { jwtSigner } from "./jwt-signer.ts";

it.each([
  { pair: generateKeyPairSync("ec", { namedCurve: "P-256" }), names: "use kty kid crv alg x y", alg: "ES256" },
  { pair: generateKeyPairSync("ec", { namedCurve: "P-384" }), names: "use kty kid crv alg x y", alg: "ES384" },
  { pair: generateKeyPairSync("rsa", { modulusLength: 2048 }), names: "use kty kid alg n e", alg: "RS256" },
])(
  "machinery/7.2.r5 shows the public half of a key, under the id that its tokens name: $alg",
  ({ pair, names, alg }) => {
    const jwk = publicJwk(pair.privateKey);
    expect(Object.keys(jwk)).toEqual(names.split(" "));
    expect(publicJwk(pair.publicKey)).toEqual(jwk);
    const header = JSON.parse(Buffer.from(jwtSigner(pair.privateKey)({}).split(".")[0] ?? "", "base64url").toString());
    expect({ alg: jwk.alg, kid: jwk.kid }).toEqual(header);
    expect(jwk.alg).toBe(alg);
    const restored = createPublicKey({ key: { ...jwk }, format: "jwk" });
    expect(restored.equals(pair.publicKey)).toBe(true);
  },
);
