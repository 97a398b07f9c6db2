// The whole command line as one typed value: the component configuration and the options outside of it. flag-table.ts
// binds each flag to its field here.

import type { GoDuration } from "#api/go-duration.ts";
import { SECOND } from "#api/go-duration.ts";
import type { ModuleLevel, Multimap, NamedCertKey } from "../flags/flag-types.ts";
import { type ComponentConfig, defaultConfig } from "./config.ts";

export interface SecureServingOptions {
  readonly bindAddress: string;
  readonly port: number;
  readonly disableHttp2: boolean;
  readonly certDirectory: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly cipherSuites: readonly string[];
  readonly curvePreferences: readonly number[];
  readonly minTlsVersion: string;
  readonly sniCertKeys: readonly NamedCertKey[];
  readonly http2MaxStreams: number;
  readonly permitPortSharing: boolean;
  readonly permitAddressSharing: boolean;
}

export interface AuthenticationOptions {
  readonly kubeconfig: string;
  readonly tokenCacheTtl: GoDuration;
  readonly clientCaFile: string;
  readonly requestHeader: {
    readonly usernameHeaders: readonly string[];
    readonly uidHeaders: readonly string[];
    readonly groupHeaders: readonly string[];
    readonly extraHeaderPrefixes: readonly string[];
    readonly clientCaFile: string;
    readonly allowedNames: readonly string[];
  };
  readonly skipLookup: boolean;
  readonly tolerateLookupFailure: boolean;
}

export interface AuthorizationOptions {
  readonly kubeconfig: string;
  readonly allowCacheTtl: GoDuration;
  readonly denyCacheTtl: GoDuration;
  readonly alwaysAllowPaths: readonly string[];
}

export interface MetricsOptions {
  readonly showHiddenForVersion: string;
  readonly disabled: readonly string[];
  readonly allowLabels: Readonly<Record<string, string>>;
  readonly allowLabelsManifest: string;
}

export interface LogOptions {
  readonly format: string;
  readonly flushFrequency: GoDuration;
  readonly verbosity: number;
  readonly moduleLevels: readonly ModuleLevel[];
  readonly textSplitStream: boolean;
  readonly textInfoBufferSize: string;
  readonly jsonSplitStream: boolean;
  readonly jsonInfoBufferSize: string;
}

export interface Options {
  readonly config: ComponentConfig;
  readonly leaderMigrationConfigFile: string;
  readonly shutdownTimeout: GoDuration;
  readonly emulatedVersions: readonly string[];
  readonly minCompatibilityVersions: readonly string[];
  readonly featureGates: Multimap;
  readonly secureServing: SecureServingOptions;
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  readonly metrics: MetricsOptions;
  readonly logs: LogOptions;
  readonly master: string;
  /** "false", "true", "raw", or a version to report. */
  readonly version: string;
  readonly help: boolean;
}

export const defaultOptions: Options = {
  config: defaultConfig,
  leaderMigrationConfigFile: "",
  shutdownTimeout: 10n * SECOND,
  emulatedVersions: [],
  minCompatibilityVersions: [],
  featureGates: {},
  secureServing: {
    bindAddress: "0.0.0.0",
    port: 10257,
    disableHttp2: false,
    certDirectory: "",
    certFile: "",
    keyFile: "",
    cipherSuites: [],
    curvePreferences: [],
    minTlsVersion: "",
    sniCertKeys: [],
    http2MaxStreams: 0,
    permitPortSharing: false,
    permitAddressSharing: false,
  },
  authentication: {
    kubeconfig: "",
    tokenCacheTtl: 10n * SECOND,
    clientCaFile: "",
    requestHeader: {
      usernameHeaders: ["x-remote-user"],
      uidHeaders: [],
      groupHeaders: ["x-remote-group"],
      extraHeaderPrefixes: ["x-remote-extra-"],
      clientCaFile: "",
      allowedNames: [],
    },
    skipLookup: false,
    tolerateLookupFailure: false,
  },
  authorization: {
    kubeconfig: "",
    allowCacheTtl: 10n * SECOND,
    denyCacheTtl: 10n * SECOND,
    alwaysAllowPaths: ["/healthz", "/readyz", "/livez"],
  },
  metrics: { showHiddenForVersion: "", disabled: [], allowLabels: {}, allowLabelsManifest: "" },
  logs: {
    format: "text",
    flushFrequency: 5n * SECOND,
    verbosity: 0,
    moduleLevels: [],
    textSplitStream: false,
    textInfoBufferSize: "0",
    jsonSplitStream: false,
    jsonInfoBufferSize: "0",
  },
  master: "",
  version: "false",
  help: false,
};
