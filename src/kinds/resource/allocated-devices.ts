// The device that an allocation or a device status refers to.
// Upstream: k8s.io/dynamic-resource-allocation/structured/schedulerapi

interface Named {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
}

/** The form that errors print. */
export const deviceId = ({ driver = "", pool = "", device = "", shareID = "" }: Named): unknown => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

export const deviceKey = (named: Named): string => JSON.stringify(deviceId(named));
