/**
 * Modules of the user, which upstream loads with `require`: `--init-page` files and, for `--endpoint`, another
 * Playwright. `require` of a compiled program does not read them from the disk ("path not found", seen in
 * 2.7.11), and neither it nor that of Deno finds npm packages beside an ECMAScript module or strips types in
 * every case. So what lies outside our own packages is loaded here, in one way for all runtimes.
 *
 * Can go when a program made by `deno compile` requires any module from the disk as Node does.
 */

import fs from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { upstreamPackageRoot } from "./package_root.ts";

const TYPED = [".ts", ".mts", ".cts"];
const PLAIN = [".js", ".mjs", ".cjs"];

type Transform = typeof import("sucrase").transform;

/** What the parts of Node's module loader look like that `@types/node` leaves out. */
interface Loader {
  readonly _extensions: Record<string, (module: LoadedModule, file: string) => void>;
}

interface LoadedModule {
  exports: unknown;
  _compile(code: string, file: string): void;
}

/** Makes `require` load JavaScript, TypeScript and JSON from the user's disk. */
export function loadUserModules(): void {
  const { _extensions: extensions } = Module as unknown as Loader;
  // Our npm packages lie side by side: `<root>/playwright-core/<version>`.
  const ownPackages = path.resolve(upstreamPackageRoot(), "../..") + path.sep;
  const load = (extension: string, loadUsers: (module: LoadedModule, file: string) => void): void => {
    const loadOwn = extensions[extension];
    extensions[extension] = (module, file) =>
      loadOwn !== undefined && file.startsWith(ownPackages) ? loadOwn(module, file) : loadUsers(module, file);
  };
  for (const extension of [...PLAIN, ...TYPED]) {
    load(extension, (module, file) => module._compile(toCommonJs(read(file), file, requireTransform), file));
  }
  load(".json", (module, file) => {
    module.exports = JSON.parse(read(file));
  });
}

function read(file: string): string {
  return fs.readFileSync(file, "utf8").replace(/^\uFEFF/, "");
}

/**
 * A module as CommonJS without types, line for line; code that is that already comes back as it is.
 * `import.meta` is replaced wherever it stands, inside a string too.
 *
 * @param transform Gives the function that does it, and is called only when there is something to do.
 * @throws {Error} With file, line and column when the code cannot be parsed.
 */
export function toCommonJs(code: string, file: string, transform: () => Transform): string {
  const typed = TYPED.includes(path.extname(file));
  if (!typed && isCommonJs(code)) return code;
  const result = transform()(code, {
    filePath: file,
    transforms: typed ? ["typescript", "imports"] : ["imports"],
    disableESTransforms: true,
  });
  return result.code.replace(/\bimport\.meta\b/g, IMPORT_META);
}

/** As Node tells them apart: what only an ECMAScript module may say is an error of syntax elsewhere. */
function isCommonJs(code: string): boolean {
  try {
    new vm.Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`);
    return true;
  } catch {
    return false;
  }
}

/** The properties of `import.meta` that Node has, in terms of CommonJS. */
const IMPORT_META =
  `({url:require("node:url").pathToFileURL(__filename).href,filename:__filename,dirname:__dirname,` +
  `resolve:(name)=>require("node:url").pathToFileURL(require.resolve(name)).href})`;

/** `require` must answer at once, so the library is loaded in the same way, and only when it is needed. */
function requireTransform(): Transform {
  const library = fileURLToPath(import.meta.resolve("sucrase"));
  return createRequire(import.meta.url)(library).transform;
}
