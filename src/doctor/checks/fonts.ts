import { join } from "node:path";
import { type Check, type CheckResult, ok, skipped, warning } from "../check.ts";
import { shellText } from "../world.ts";

/** Whether pages would show text or boxes. */
export const FONTS_CHECK: Check = {
  name: "fonts",
  boundMs: 8000,
  async run(world, signal): Promise<CheckResult> {
    if (world.os !== "linux") return { findings: [skipped("Not applicable: the system brings fonts")] };
    const home = world.env["HOME"];
    const directories = [
      ...["/usr/share/fonts", "/usr/local/share/fonts", "/usr/X11R6/lib/X11/fonts"],
      ...(home === undefined ? [] : [join(home, ".fonts"), join(home, ".local/share/fonts")]),
    ];
    const listed = await shellText(world, signal, LIST, ...directories);
    if (listed === undefined) return { findings: [skipped("Fonts cannot be looked for on this system")] };
    const count = listed.split("\n").filter((line) => line.trim() !== "").length;
    const finding = count > 0 ? ok(`${count} font${count === 1 ? "" : " files"} found`) : warning(
      "There is no font: pages show boxes in place of text, and screenshots with them",
      "On Debian: apt-get install -y fonts-liberation fonts-noto-color-emoji fonts-noto-cjk",
    );
    return { findings: [finding], details: { count } };
  },
};

/** What fontconfig finds, and where it is not installed, what lies in its usual directories. */
const LIST = `fc-list : file 2>/dev/null | grep . || find "$@" -type f 2>/dev/null |
  grep -iE '\\.(ttf|otf|ttc|pfb|woff2?)(\\.gz)?$'`;
