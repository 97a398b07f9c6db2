import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/volumeattachments.storage.k8s.io.json" with { type: "json" };
import { volumeAttachment } from "./volume-attachment.ts";

judgeStrategy(volumeAttachment, vectors);
