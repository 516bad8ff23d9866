import fs from "node:fs";

/**
 * Makes `existsSync` answer false where Deno throws: a program that lists its permissions may not look into
 * `/proc`, `/sys` and most of `/dev`, and upstream asks there whether it runs under WSL. Node's function never
 * throws.
 */
export function repairExistsSync(): void {
  const { existsSync } = fs;
  fs.existsSync = (path) => {
    try {
      return existsSync(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) return false;
      throw error;
    }
  };
}
