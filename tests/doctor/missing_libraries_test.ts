import assert from "node:assert/strict";
import {
  LIBRARY_PACKAGES,
  missingLibraries,
  missingVersions,
  packageRemedy,
} from "../../src/doctor/missing_libraries.ts";
import { doctorWorld, programs } from "./test_world.ts";

const signal = new AbortController().signal;

async function remedy(libraries: readonly string[], release: string): Promise<string> {
  return await packageRemedy(
    libraries,
    await doctorWorld({ run: programs({ "sh -c cat": release }) }),
    signal,
  );
}

Deno.test("missingLibraries() reads ldd of glibc and of musl, and both loaders", () => {
  const glibc =
    "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibnss3.so => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n" +
    "\tlibgbm.so.1 => not found\n\tlibnss3.so => not found\n";
  assert.deepEqual(missingLibraries(glibc), ["libgbm.so.1", "libnss3.so"]);
  const loader =
    "/opt/chrome: error while loading shared libraries: libnspr4.so: cannot open shared object file: No such file";
  assert.deepEqual(missingLibraries(loader), ["libnspr4.so"]);
  const musl =
    "Error loading shared library libatk-1.0.so.0: No such file or directory (needed by /opt/chrome)";
  assert.deepEqual(missingLibraries(musl), ["libatk-1.0.so.0"]);
  assert.deepEqual(missingLibraries("\tstatically linked\n"), []);
});

Deno.test("missingVersions() finds what a newer C library would have", () => {
  const said = "/opt/chrome: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /opt/chrome)\n";
  assert.deepEqual(missingVersions(said + said), ["GLIBC_2.38"]);
});

Deno.test("packageRemedy() names each package once, as a command on Debian and its kin", async () => {
  for (
    const release of ["ID=debian\n", "ID=ubuntu\nID_LIKE=debian\n", 'ID=mint\nID_LIKE="ubuntu debian"\n']
  ) {
    assert.equal(
      await remedy(["libnss3.so", "libsmime3.so", "libgbm.so.1"], release),
      "apt-get install -y libgbm1 libnss3",
    );
  }
  assert.equal(
    await remedy(["libnss3.so"], "ID=fedora\n"),
    "Install the packages with these libraries; on Debian they are libnss3",
  );
});

Deno.test("packageRemedy() says how to find the package of a library that it does not know", async () => {
  assert.match(
    await remedy(["libodd.so.1"], "ID=debian\n"),
    /^To find the package of libodd\.so\.1: "apt-file search libodd/,
  );
  const both = await remedy(["libnss3.so", "libodd.so.1", "libeven.so"], "ID=fedora\n");
  assert.match(both, /libnss3\nTo find the package of libodd\.so\.1, libeven\.so: "dnf provides/);
});

Deno.test("LIBRARY_PACKAGES names the packages that this Debian has the libraries from", async () => {
  const { stdout } = await new Deno.Command("sh", {
    args: [
      "-c",
      "command -v dpkg >/dev/null && . /etc/os-release && echo $VERSION_CODENAME && dpkg -S '*/lib*.so*'",
    ],
    stderr: "null",
  }).output();
  const listed = new TextDecoder().decode(stdout);
  if (!listed.startsWith("bookworm\n")) return;
  const owners = new Map<string, Set<string>>();
  for (
    const [, name = "", file = ""] of listed.matchAll(
      /^([^:,\s]+)(?::\w+)?: (?:\/usr)?\/lib\/[^/\s]+-linux-gnu\/([^/\s]+)$/gm,
    )
  ) {
    owners.set(file, (owners.get(file) ?? new Set()).add(name));
  }
  const known = Object.entries(LIBRARY_PACKAGES).filter(([library]) => owners.has(library));
  const wrong = known.filter(([library, name]) => !owners.get(library)?.has(name));
  assert.deepEqual(wrong, []);
  assert.ok(known.length > 0);
});
