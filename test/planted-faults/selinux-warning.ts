// Faults in the warnings about SELinux labels.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/selinux-warning";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/selinux-warning"],
  faults: [
    {
      name: "a missing part of a label conflicts",
      file: `${folder}/labels.ts`,
      find: 'one !== other && one !== "" && other !== ""',
      replace: "one !== other",
      noticedBy: "finds no conflict where a part that nodes fill in is missing",
    },
    {
      name: "only the pod itself is told",
      file: `${folder}/volume-users.ts`,
      find: "    { property, pod: other, value: otherValue, otherPod: pod, otherValue: value },\n",
      replace: "",
      noticedBy: "tells both pods that their labels conflict",
    },
    {
      name: "pods that have ended count",
      file: `${folder}/sync.ts`,
      find: "pod === undefined || isPodTerminal(pod)",
      replace: "pod === undefined",
      noticedBy: "forgets pods that have ended or are gone",
    },
    {
      name: "what the driver supports is not asked",
      file: `${folder}/sync.ts`,
      find: "?.spec?.seLinuxMount ?? false",
      replace: "?.spec?.seLinuxMount !== null",
      noticedBy: "does not care for volumes whose driver does not mount with a context, until it does",
    },
    {
      name: "pods stay as they were judged when their driver changes",
      file: `${folder}/controller.ts`,
      find: "for (const pod of users.podsOfDriver(driver)) queue.add(pod, cause);",
      replace: 'if (driver === "") queue.add(driver, cause);',
      noticedBy: "judges pods anew when their driver comes and goes",
    },
    {
      name: "the name of a pod in another namespace is told",
      file: `${folder}/volume-users.ts`,
      find: "if (namespace !== otherNamespace) {",
      replace: 'if (namespace === "" && otherNamespace === "") {',
      noticedBy: "does not tell a pod the name of one in another namespace",
    },
  ],
};
