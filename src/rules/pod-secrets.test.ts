import { expect, it } from "vitest";
import { podSecretNames } from "./pod-secrets.ts";

it("legacy-serviceaccount-token-cleaner/5 finds every Secret that a pod refers to", () => {
  const secretRef = (name: string) => ({ secretRef: { name } });
  const pod = {
    spec: {
      imagePullSecrets: [{ name: "pull" }, {}],
      initContainers: [{ name: "init", envFrom: [secretRef("init-from")] }],
      containers: [
        {
          name: "main",
          env: [
            { name: "A", valueFrom: { secretKeyRef: { name: "main-env", key: "a" } } },
            { name: "B", value: "b" },
          ],
        },
      ],
      ephemeralContainers: [{ name: "debug", envFrom: [secretRef("debug-from"), secretRef("pull")] }],
      volumes: [
        { name: "1", secret: { secretName: "secret" } },
        { name: "2", azureFile: { secretName: "azure", shareName: "share" } },
        { name: "3", projected: { sources: [{ secret: { name: "projected" } }, { configMap: { name: "map" } }] } },
        { name: "4", cephfs: { monitors: [], ...secretRef("ceph") } },
        { name: "5", cinder: { volumeID: "v", ...secretRef("cinder") } },
        { name: "6", flexVolume: { driver: "d", ...secretRef("flex") } },
        { name: "7", rbd: { monitors: [], image: "i", ...secretRef("rbd") } },
        { name: "8", scaleIO: { gateway: "g", system: "s", ...secretRef("scale") } },
        { name: "9", iscsi: { targetPortal: "t", iqn: "i", lun: 0, ...secretRef("iscsi") } },
        { name: "10", storageos: secretRef("storageos") },
        { name: "11", csi: { driver: "d", nodePublishSecretRef: { name: "csi" } } },
        { name: "12", emptyDir: {} },
      ],
    },
  };
  expect([...podSecretNames(pod)].toSorted()).toEqual(
    "azure ceph cinder csi debug-from flex init-from iscsi main-env projected pull rbd scale secret storageos".split(
      " ",
    ),
  );
  expect(podSecretNames({}).size).toBe(0);
});
