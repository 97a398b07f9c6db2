import { describe, expect, it } from "vitest";
import { bytesTransport } from "../in-process-transport.ts";
import { type Answer, startTestServer, testClient } from "../testing.ts";
import { CLIENT_CA, REQUEST_HEADER_CA } from "./authenticate.ts";

const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const USER = { "x-remote-user": "ann" };

/** One request with a certificate of this name, signed by these CAs. */
async function ask(
  commonName: string,
  signedBy: readonly string[],
  headers: Record<string, string | string[]>,
): Promise<Answer> {
  const requestHeader = {
    ca: "",
    allowedNames: ["front"],
    usernameHeaders: ["X-Remote-User", "X-Other-User"],
    uidHeaders: ["X-Remote-Uid"],
    groupHeaders: ["X-Remote-Group"],
    extraHeaderPrefixes: ["X-Remote-Extra-"],
  };
  const { server } = startTestServer({ authentication: { allowsAnonymous: true, requestHeader } });
  const peer = { certificate: { commonName, organizations: ["team"], signedBy } };
  return testClient(bytesTransport(server, { peer })).post(WHO, {}, headers);
}

describe("machinery/7.5.r8 request-header authentication", () => {
  it("takes user, uid, groups and extra from a front proxy", async () => {
    const { body } = await ask("front", [REQUEST_HEADER_CA], {
      ...USER,
      "x-remote-uid": "u1",
      "x-remote-group": ["ops", "dev"],
      "x-remote-extra-acme.com%2fproject": ["a", "b"],
    });
    expect(body.status.userInfo).toEqual({
      username: "ann",
      uid: "u1",
      groups: ["ops", "dev", "system:authenticated"],
      extra: { "acme.com/project": ["a", "b"] },
    });
    const other = await ask("front", [REQUEST_HEADER_CA], { "x-other-user": "ben" });
    expect(other.body.status.userInfo.username).toBe("ben");
  });

  it("refuses another name, another CA and a proxy that names no user", async () => {
    expect((await ask("back", [REQUEST_HEADER_CA], USER)).status).toBe(401);
    expect((await ask("front", [REQUEST_HEADER_CA], {})).status).toBe(401);
    const client = await ask("front", [CLIENT_CA], USER);
    expect(client.body.status.userInfo.username).toBe("front");
    const both = await ask("back", [CLIENT_CA, REQUEST_HEADER_CA], USER);
    expect(both.body.status.userInfo.username).toBe("back");
  });
});
