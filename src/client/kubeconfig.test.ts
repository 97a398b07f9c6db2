// Reading, merging and choosing from kubeconfigs, with kubectl's error messages.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ChooseOptions,
  chooseClient,
  EMPTY_KUBECONFIG,
  KubeconfigError,
  mergeKubeconfigs,
  parseKubeconfig,
} from "#client/kubeconfig.ts";
import { KubeconfigSyntaxError } from "#client/kubeconfig-fields.ts";

const readable: ChooseOptions = { fileProblem: () => undefined };
const parse = (document: unknown) =>
  parseKubeconfig(document, (path) => (path.startsWith("/") ? path : `/dir/${path}`));

function document(cluster: object, user: object = {}, rest: object = {}): unknown {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
    ...rest,
  };
}

const server = "https://example:6443";

describe("kubeconfig", () => {
  it("chooses the current context, with files relative to the document and data decoded", () => {
    const config = parse(
      document(
        { server, "certificate-authority": "ca.crt", "tls-server-name": "api" },
        { "client-certificate-data": btoa("CERT"), "client-key": "/abs/key", token: "t" },
      ),
    );
    expect(chooseClient(config, readable)).toEqual({
      server,
      certificateAuthority: "/dir/ca.crt",
      tlsServerName: "api",
      clientCertificateData: "CERT",
      clientKey: "/abs/key",
      token: "t",
      namespace: "default",
    });
  });

  it("uses another server, under its own name, on request", () => {
    const config = parse(document({ server, "tls-server-name": "api" }));
    const chosen = chooseClient(config, { ...readable, server: "https://other" });
    expect(chosen).toEqual({ server: "https://other", namespace: "default" });
    expect(chooseClient(EMPTY_KUBECONFIG, { ...readable, server: "http://bare" }).server).toBe("http://bare");
  });

  it("reads credential plugins", () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command: "./bin/get",
      args: ["a"],
      env: [{ name: "N", value: "v" }],
    };
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "me" } }];
    const chosen = chooseClient(parse(document({ server, extensions }, { exec })), readable);
    expect(chosen.exec).toEqual({
      command: "/dir/./bin/get",
      args: ["a"],
      env: [{ name: "N", value: "v" }],
      apiVersion: "client.authentication.k8s.io/v1beta1",
      installHint: "",
      provideClusterInfo: false,
      interactiveMode: "IfAvailable",
    });
    expect(chosen.execConfig).toEqual({ audience: "me" });
  });

  it("merges documents: the first to name something wins", () => {
    const first = parse(document({ server: "https://first" }, {}, { "current-context": "" }));
    const second = parse({
      ...(document({ server: "https://second" }) as object),
      users: [{ name: "other", user: { token: "t" } }],
    });
    const merged = mergeKubeconfigs([first, second]);
    expect(merged.clusters.get("c")?.server).toBe("https://first");
    expect([...merged.users.keys()].sort()).toEqual(["other", "u"]);
    expect(merged.currentContext).toBe("x");
  });

  const bad: [string, unknown, ChooseOptions, string][] = [
    [
      "nothing",
      null,
      readable,
      "no configuration has been provided, try setting KUBERNETES_MASTER environment variable",
    ],
    [
      "an unknown current context",
      { "current-context": "z" },
      readable,
      "[context was not found for specified context: z, cluster has no server defined]",
    ],
    ["an unknown context asked for", document({ server }), { ...readable, context: "z" }, 'context "z" does not exist'],
    ["no server", document({ "tls-server-name": "a" }), readable, 'no server found for cluster "c"'],
    [
      "two kinds of login",
      document({ server }, { token: "t", username: "n" }),
      readable,
      "more than one authentication method found for u; found [token basicAuth], only one is allowed",
    ],
    [
      "a certificate without a key",
      document({ server }, { "client-certificate-data": btoa("C") }),
      readable,
      "client-key-data or client-key must be specified for u to use the clientCert authentication method.",
    ],
    [
      "a missing authority",
      document({ server, "certificate-authority": "/no" }),
      { fileProblem: (path) => `open ${path}: no such file or directory` },
      "unable to read certificate-authority /no for c due to open /no: no such file or directory",
    ],
    [
      "both forms of an authority",
      document({ server, "certificate-authority": "/a", "certificate-authority-data": btoa("A") }),
      readable,
      "certificate-authority-data and certificate-authority are both specified for c. certificate-authority-data will override.",
    ],
    [
      "an odd proxy",
      document({ server, "proxy-url": "ftp://p" }),
      readable,
      `invalid 'proxy-url' "ftp://p" for cluster "c": unsupported scheme "ftp", must be http, https, or socks5`,
    ],
    [
      "a proxy with a password",
      document({ server, "proxy-url": "ftp://me:pass@p" }),
      readable,
      `invalid 'proxy-url' "ftp://me:xxxxx@p" for cluster "c": unsupported scheme "ftp", must be http, https, or socks5`,
    ],
    [
      "a proxy that cannot be parsed",
      document({ server, "proxy-url": "h t://me:pass@p" }),
      readable,
      `invalid 'proxy-url' "h t://me:xxxxx@p" for cluster "c": could not parse: h t://me:xxxxx@p`,
    ],
    [
      "a plugin without a version",
      document({ server }, { exec: { command: "x", interactiveMode: "Never" } }),
      readable,
      "apiVersion must be specified for u to use exec authentication plugin",
    ],
    [
      "a plugin of v1 without a mode",
      document({ server }, { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1" } }),
      readable,
      "interactiveMode must be specified for u to use exec authentication plugin",
    ],
    [
      "groups without a user to be",
      document({ server }, { "as-groups": ["g"] }),
      readable,
      "requesting uid, groups or user-extra for u without impersonating a user",
    ],
  ];
  it.each(bad)("refuses %s", (_name, source, options, message) => {
    const choose = () => chooseClient(parse(source), options);
    expect(choose).toThrow(KubeconfigError);
    expect(choose).toThrow(`invalid configuration: ${message}`);
  });

  it("distinguishes an empty configuration from a wrong one", () => {
    const thrown = (source: unknown) => {
      try {
        chooseClient(parse(source), readable);
      } catch (error) {
        return error as KubeconfigError;
      }
      return undefined;
    };
    expect(thrown({})?.isEmpty).toBe(true);
    expect(thrown({ "current-context": "z" })?.isEmpty).toBe(false);
  });

  it.each([
    [[], "kubeconfig is not an object"],
    [{ kind: "Pod" }, "kubeconfig is of kind Pod"],
    [{ apiVersion: "v2" }, 'no kind "Config" is registered for version "v2"'],
    [{ clusters: {} }, "kubeconfig.clusters is not a list"],
    [document({ server: 1 }), "kubeconfig.clusters[0].cluster.server is not a string"],
    [document({ "certificate-authority-data": "*" }), "is not base64"],
    [{ users: [{ name: "a" }, { name: "a" }] }, 'duplicate name "a" in list users'],
  ])("says where %j goes wrong", (source, message) => {
    expect(() => parse(source)).toThrow(KubeconfigSyntaxError);
    expect(() => parse(source)).toThrow(message);
  });

  it("never fails in any other way, for any input", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (whole, cluster) => {
        for (const source of [whole, document({}, {}, { clusters: [{ name: "c", cluster }] })]) {
          try {
            chooseClient(parse(source), readable);
          } catch (error) {
            expect(error instanceof KubeconfigError || error instanceof KubeconfigSyntaxError).toBe(true);
          }
        }
      }),
    );
  });
});
