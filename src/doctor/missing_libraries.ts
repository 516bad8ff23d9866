/**
 * Shared libraries that the loader cannot find, and the packages that bring them.
 */
import { type DoctorWorld, shellText } from "./world.ts";

/**
 * What Chromium links against, and its packages in Debian 12. In later releases, and in Ubuntu since 24.04, some names
 * have `t64` behind them; apt finds most of those by the old name.
 */
export const LIBRARY_PACKAGES: Readonly<Record<string, string>> = {
  "libX11.so.6": "libx11-6",
  "libXcomposite.so.1": "libxcomposite1",
  "libXcursor.so.1": "libxcursor1",
  "libXdamage.so.1": "libxdamage1",
  "libXext.so.6": "libxext6",
  "libXfixes.so.3": "libxfixes3",
  "libXi.so.6": "libxi6",
  "libXrandr.so.2": "libxrandr2",
  "libXrender.so.1": "libxrender1",
  "libXss.so.1": "libxss1",
  "libXtst.so.6": "libxtst6",
  "libEGL.so.1": "libegl1",
  "libGL.so.1": "libgl1",
  "libGLESv2.so.2": "libgles2",
  "libasound.so.2": "libasound2",
  "libatk-1.0.so.0": "libatk1.0-0",
  "libatk-bridge-2.0.so.0": "libatk-bridge2.0-0",
  "libatspi.so.0": "libatspi2.0-0",
  "libcairo.so.2": "libcairo2",
  "libcups.so.2": "libcups2",
  "libdbus-1.so.3": "libdbus-1-3",
  "libdrm.so.2": "libdrm2",
  "libexpat.so.1": "libexpat1",
  "libfontconfig.so.1": "libfontconfig1",
  "libfreetype.so.6": "libfreetype6",
  "libgbm.so.1": "libgbm1",
  "libgcc_s.so.1": "libgcc-s1",
  "libgdk-3.so.0": "libgtk-3-0",
  "libgio-2.0.so.0": "libglib2.0-0",
  "libglib-2.0.so.0": "libglib2.0-0",
  "libgmodule-2.0.so.0": "libglib2.0-0",
  "libgobject-2.0.so.0": "libglib2.0-0",
  "libgtk-3.so.0": "libgtk-3-0",
  "libnspr4.so": "libnspr4",
  "libnss3.so": "libnss3",
  "libnssutil3.so": "libnss3",
  "libpango-1.0.so.0": "libpango-1.0-0",
  "libpangocairo-1.0.so.0": "libpangocairo-1.0-0",
  "libpci.so.3": "libpci3",
  "libplc4.so": "libnspr4",
  "libplds4.so": "libnspr4",
  "libpulse.so.0": "libpulse0",
  "libsmime3.so": "libnss3",
  "libssl3.so": "libnss3",
  "libstdc++.so.6": "libstdc++6",
  "libudev.so.1": "libudev1",
  "libuuid.so.1": "libuuid1",
  "libvulkan.so.1": "libvulkan1",
  "libwayland-client.so.0": "libwayland-client0",
  "libxcb.so.1": "libxcb1",
  "libxcb-dri3.so.0": "libxcb-dri3-0",
  "libxkbcommon.so.0": "libxkbcommon0",
  "libxshmfence.so.1": "libxshmfence1",
  "libz.so.1": "zlib1g",
};

/** How glibc's `ldd`, that of musl, and the loaders of both name what they miss. */
const MISSING: readonly RegExp[] = [
  /^\s*(\S+) => not found/gm,
  /error while loading shared libraries: ([^\s:]+): cannot open/g,
  /Error loading shared library ([^\s:]+):/g,
];

/** Names of libraries in the output of `ldd` or of a loader, each once. */
export function missingLibraries(output: string): string[] {
  const names = MISSING.flatMap((form) => [...output.matchAll(form)].map(([, name = ""]) => name));
  return [...new Set(names)].sort();
}

/** Versions of the C library that a program asks for in vain, such as `GLIBC_2.38`. */
export function missingVersions(output: string): string[] {
  return [...new Set([...output.matchAll(/version `([^']+)' not found/g)].map(([, name = ""]) => name))]
    .sort();
}

/** What to install for them, in the words of this system. */
export async function packageRemedy(
  libraries: readonly string[],
  world: DoctorWorld,
  signal: AbortSignal,
): Promise<string> {
  const known = libraries.flatMap((name) => LIBRARY_PACKAGES[name] ?? []);
  const unknown = libraries.filter((name) => LIBRARY_PACKAGES[name] === undefined);
  const packages = [...new Set(known)].sort().join(" ");
  const debian = await isDebian(world, signal);
  const steps: string[] = [];
  if (packages !== "") {
    steps.push(
      debian
        ? `apt-get install -y ${packages}`
        : `Install the packages with these libraries; on Debian they are ${packages}`,
    );
  }
  if (unknown.length > 0) {
    const search = debian
      ? `"apt-file search ${unknown[0]}" (package apt-file)`
      : `"dnf provides '*/${unknown[0]}'" or the like`;
    steps.push(`To find the package of ${unknown.join(", ")}: ${search}`);
  }
  return steps.join("\n");
}

async function isDebian(world: DoctorWorld, signal: AbortSignal): Promise<boolean> {
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(
    await shellText(world, signal, "cat /etc/os-release") ?? "",
  );
}
