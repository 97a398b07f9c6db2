// The columns that persistent volumes and their claims share. Upstream: pkg/printers/internalversion/printers.go

import type * as core from "#api/generated/types/core-v1.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";

export const amount = (text: string | undefined): string => quantityFromWire(text).toString();

const MODES: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

export const accessModes = (modes: readonly string[] | undefined): string =>
  MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

export const classOf = ({ metadata, spec }: core.PersistentVolume | core.PersistentVolumeClaim): string =>
  metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
