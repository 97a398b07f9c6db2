// Which device an allocation or a device's status is about.
// Upstream: k8s.io/dynamic-resource-allocation/structured/schedulerapi

interface Named {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
}

/** As a refusal prints it. */
export const deviceId = ({ driver = "", pool = "", device = "", shareID = "" }: Named): unknown => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

export const deviceKey = (named: Named): string => JSON.stringify(deviceId(named));
