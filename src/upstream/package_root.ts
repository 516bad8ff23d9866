import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Directory of upstream's package: in the npm cache, or in the file system inside a compiled program. Its
 * neighbours are the other npm packages.
 */
export function upstreamPackageRoot(): string {
  return path.dirname(fileURLToPath(import.meta.resolve("playwright-core/package.json")));
}
