// Watches in other representations: metadata, tables, and representations that events do not have.

import type { JudgeCase } from "./case.ts";
import { GADGETS } from "./custom-kind.ts";
import { del, get, merge, patch, post } from "./steps.ts";

const MAPS = "/api/v1/namespaces/$ns/configmaps";
const STATE =
  "watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const form = (as: string, version = "v1"): string => `application/json;as=${as};g=meta.k8s.io;v=${version}`;
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const FORMS = [
  ...["PartialObjectMetadata", "PartialObjectMetadataList", "Table"].flatMap((as) => [form(as), form(as, "v1beta1")]),
  form("Table", "v2"),
  `${form("Table", "v2")},application/json`,
  form("Nonsense"),
  `${form("Table")};stream=watch`,
  "application/json;stream=watch",
  "application/json;stream=nonsense",
  "application/yaml",
  "application/yaml,application/json",
  "text/plain",
  PROTOBUF,
  `${PROTOBUF};stream=watch`,
  `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`,
];

const gadget = { apiVersion: "judge.example/v1", kind: "Gadget", metadata: { name: "a" }, spec: { size: 1 } };

/** One case each: a watch takes a second, and cases in separate namespaces do not affect each other. */
const watched = FORMS.flatMap((accept): JudgeCase[] => [
  {
    name: `machinery/7.1.r12, machinery/7.1.r13 a watch as ${accept}`,
    steps: [
      post(MAPS, { metadata: { name: "a" } }),
      get(`${MAPS}?${STATE}&fieldSelector=metadata.name%3Da`, { accept }),
      get(`${MAPS}?${STATE}&fieldSelector=metadata.name%3Dnobody`, { accept }),
    ],
  },
  {
    name: `machinery/7.1.r12, machinery/7.1.r13 a watch of custom resources as ${accept}`,
    steps: [post(GADGETS, gadget), get(`${GADGETS}?${STATE}`, { accept })],
  },
]);

export const watchFormCases: readonly JudgeCase[] = [
  ...watched,
  {
    name: "machinery/7.1.r11, machinery/8.r12 answers and events in protobuf: an object, a list, changes, refusals",
    steps: [
      post(MAPS, { metadata: { name: "a" }, data: { k: "v" } }, { headers: { accept: PROTOBUF } }),
      get(`${MAPS}/a`, { accept: PROTOBUF }),
      get(`${MAPS}?fieldSelector=metadata.name%3Da`, { accept: PROTOBUF }),
      get(`${MAPS}/a`, { accept: `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1` }),
      get(`${MAPS}/none`, { accept: PROTOBUF }),
      post(GADGETS, gadget),
      get(`${GADGETS}/a`, { accept: PROTOBUF }),
      get(`${GADGETS}/a`, { accept: `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1` }),
      get(GADGETS, { accept: `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1` }),
      {
        ...get(`${MAPS}?watch=1&timeoutSeconds=2&fieldSelector=metadata.name%3Da`, { accept: PROTOBUF }),
        during: [patch(`${MAPS}/a`, merge, { data: { k: "w" } }), del(`${MAPS}/a`)],
      },
      get(`${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=nonsense`, { accept: PROTOBUF }),
    ],
  },
  {
    name: "machinery/7.1.r12 a watch as a table with more, less or nothing of the object",
    steps: [
      post(MAPS, { metadata: { name: "a" } }),
      ...["None", "Metadata", "Object", "Nonsense"].map((included) =>
        get(`${MAPS}?${STATE}&fieldSelector=metadata.name%3Da&includeObject=${included}`, { accept: form("Table") }),
      ),
    ],
  },
  {
    name: "machinery/7.1.r8 options of a watch by its path are read as those of a list",
    steps: [
      post(MAPS, { metadata: { name: "a" } }),
      ...[
        STATE.replace("watch=true&", ""),
        STATE,
        "timeoutSeconds=1",
        "timeoutSeconds=1&resourceVersionMatch=Exact",
      ].map((query) => get(`/api/v1/watch/namespaces/$ns/configmaps/a?${query}`)),
    ],
  },
];
