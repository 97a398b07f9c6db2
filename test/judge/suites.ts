// The cases by suite, for the real server and for its recorded answers.

import { accessCases } from "./access-cases.ts";
import { accountCases } from "./account-cases.ts";
import { admissionCases } from "./admission-cases.ts";
import type { JudgeCase } from "./case.ts";
import { classAdmissionCases } from "./class-admission-cases.ts";
import { customResourceCases } from "./custom-resource-cases.ts";
import { detailCases } from "./detail-cases.ts";
import { genericCases } from "./generic-cases.ts";
import { int64Cases } from "./int64-cases.ts";
import { int64CustomCases } from "./int64-custom-cases.ts";
import { type JudgeSettings, moreSettings, plainSettings } from "./judge-flags.ts";
import { kindCases } from "./kind-cases.ts";
import { casesOf } from "./kind-row.ts";
import { kindSuites, moreKindSuites } from "./kind-suites.ts";
import { services } from "./kinds/services.ts";
import { namespaceContentCases } from "./namespace-content-cases.ts";
import { openApiCases } from "./openapi-cases.ts";
import { otherKindCases } from "./other-kind-cases.ts";
import { podAdmissionCases } from "./pod-admission-cases.ts";
import { podSecurityCases } from "./pod-security-cases.ts";
import { podSubresourceCases } from "./pod-subresource-cases.ts";
import { policyAccessCases } from "./policy-access-cases.ts";
import { expiryCases, protocolCases } from "./protocol-cases.ts";
import { ruleCostCases } from "./rule-cost-cases.ts";
import { serverPathCases } from "./server-path-cases.ts";
import { serviceCases } from "./service-cases.ts";
import { tlsSecretCases } from "./tls-secret-cases.ts";
import { watchFormCases } from "./watch-form-cases.ts";

/** The last suite makes the servers forget their history. */
export const suites: Readonly<Record<string, readonly JudgeCase[]>> = {
  generic: genericCases,
  kinds: kindCases,
  access: accessCases,
  namespacecontent: namespaceContentCases,
  policyaccess: policyAccessCases,
  admission: [...podSubresourceCases, ...accountCases, ...podAdmissionCases, ...admissionCases],
  classadmission: classAdmissionCases,
  podsecurity: podSecurityCases,
  protocol: protocolCases,
  server: [...serverPathCases, ...watchFormCases, ...tlsSecretCases],
  details: detailCases,
  int64: [...int64Cases, ...int64CustomCases],
  services: [...casesOf(services), ...serviceCases],
  customs: customResourceCases,
  costs: ruleCostCases,
  openapi: openApiCases,
  others: otherKindCases,
  ...kindSuites,
  ...moreKindSuites,
  expiry: expiryCases,
};

/** The settings of the servers of a suite. */
export const settingsOf = (suite: string): JudgeSettings =>
  Object.hasOwn(moreKindSuites, suite) ? moreSettings : plainSettings;

export const folderOfRecords = "test/judge/recorded";

/** Answers by the name of the case. */
export type Recording = Readonly<Record<string, readonly unknown[]>>;
