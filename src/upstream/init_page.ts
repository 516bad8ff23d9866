/**
 * Checks of the modules that the user wants to run on every page, before anything is started with them.
 */

import { AppError, messageOf } from "../errors.ts";

/**
 * Checks `--init-page` files and gives back what to hand to upstream. The pages stay where they are, so that
 * their relative imports, npm packages and `__dirname` keep their meaning; TypeScript and ECMAScript modules
 * are transformed when upstream loads them, see `user_modules.ts`. Here they are only parsed, because at a
 * start the user still looks, and a tool call later answers a model.
 *
 * @param paths Absolute paths.
 * @throws {AppError} `usage` when a page cannot be read or parsed.
 */
export async function prepareInitPages(paths: readonly string[]): Promise<string[]> {
  for (const path of paths) await check(path);
  return [...paths];
}

async function check(path: string): Promise<void> {
  const code = await read(path);
  const { toCommonJs } = await import("./user_modules.ts");
  const { transform } = await import("sucrase");
  try {
    toCommonJs(code, path, () => transform);
  } catch (error) {
    // The library's message begins with the path, which ours says already, and ends with line and column.
    const reason = messageOf(error).replace(`Error transforming ${path}: `, "");
    throw new AppError("usage", `Cannot parse "${path}" for --init-page: ${reason}`, { cause: error });
  }
}

async function read(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    throw new AppError("usage", `Cannot read "${path}" for --init-page: ${messageOf(error)}`, {
      remedy: "Give the path of a JavaScript or TypeScript file",
      cause: error,
    });
  }
}
