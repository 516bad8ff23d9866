import { createLogger } from "../../src/telemetry/log.ts";

export const NO_LOG = createLogger({ level: "silent", format: "text", write: () => {} });
