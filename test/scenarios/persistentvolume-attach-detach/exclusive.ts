// The invariant of a volume that only one node at a time may have.

import { Nodes } from "#api/generated/resources/core-v1.ts";
import { VolumeAttachments } from "#api/generated/resources/storage-v1.ts";
import { attachedTo, type CsiVolume } from "#test/stage/csi.ts";
import type { Reader } from "#test/stage/stage.ts";

/** At most one node reports the volume, and at most one VolumeAttachment is attached. */
export async function isExclusive(reader: Reader, volume: CsiVolume): Promise<boolean> {
  const attachments = (await reader.of(VolumeAttachments).list()).filter(
    ({ spec, status }) => spec?.source?.persistentVolumeName === volume.name && status?.attached,
  );
  const nodes = (await reader.of(Nodes).list()).filter(({ status }) => attachedTo(status).includes(volume.uniqueName));
  return attachments.length < 2 && nodes.length < 2;
}
