import assert from "node:assert/strict";
import { DENO_VERSION } from "../scripts/build/toolchain.ts";
import { knownVariables } from "../src/settings/unknown_variables.ts";
import { UPSTREAM_FLAGS } from "../src/settings/upstream_flags.ts";
import { VERSION } from "../src/version.ts";

const ROOT = new URL("../", import.meta.url);

/** Of the system, not of the program. */
const SYSTEM_VARIABLES = ["HOME", "LANG"];

interface Instruction {
  readonly name: string;
  readonly value: string;
}

async function instructions(): Promise<Instruction[]> {
  const text = await Deno.readTextFile(new URL("Dockerfile", ROOT));
  const lines = text.replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => {
    const [name = "", ...rest] = line.split(" ");
    return { name, value: rest.join(" ") };
  });
}

async function valuesOf(name: string): Promise<string[]> {
  return (await instructions()).filter((each) => each.name === name).map(({ value }) => value);
}

Deno.test("Dockerfile builds with the pinned Deno, on base images with a tag that is not latest", async () => {
  const bases = (await valuesOf("FROM")).map((value) => value.split(" AS "));
  const stages = bases.map(([, stage]) => stage);
  const images = bases.map(([image = ""]) => image)
    .filter((image) => !stages.includes(image) && !image.startsWith("browser-${"));
  assert.deepEqual(images, [`denoland/deno:debian-${DENO_VERSION}`, "debian:trixie-slim"]);
  assert.ok((await valuesOf("RUN")).includes("deno task build"));
});

Deno.test("Dockerfile has a stage for each browser", async () => {
  const stages = (await valuesOf("FROM")).map((value) => value.split(" AS ")[1]);
  for (const browser of ["cloak", "chromium", "none"]) assert.ok(stages.includes(`browser-${browser}`));
  assert.ok((await valuesOf("ARG")).includes("BROWSER=cloak"));
  assert.equal(stages.at(-1), "final");
});

Deno.test("Dockerfile ends as user 1000, with a volume that this user owns", async () => {
  assert.deepEqual(await valuesOf("USER"), ["1000:1000"]);
  assert.deepEqual(await valuesOf("VOLUME"), ["/data"]);
  assert.ok((await valuesOf("RUN")).some((value) => value.includes("--owner=1000 --group=1000 /data")));
});

Deno.test("Dockerfile starts the program below an init and checks it without another program", async () => {
  const [entry] = await valuesOf("ENTRYPOINT");
  const program = "/usr/local/bin/cloakbrowser-mcp";
  assert.deepEqual(JSON.parse(entry ?? ""), ["/usr/bin/tini", "-s", "--", program]);
  const [check = ""] = await valuesOf("HEALTHCHECK");
  assert.deepEqual(JSON.parse(check.slice(check.indexOf("CMD ") + 4)), [program, "healthcheck"]);
});

Deno.test("Dockerfile sets only variables that the program knows, and no secret", async () => {
  const known = [...knownVariables(), ...UPSTREAM_FLAGS.flatMap(({ env }) => env ?? []), ...SYSTEM_VARIABLES];
  const names = (await valuesOf("ENV")).flatMap((value) =>
    [...value.matchAll(/(\w+)=/g)].map(([, name]) => name)
  );
  assert.ok(names.length > 0);
  for (const name of names) {
    assert.ok(known.includes(name ?? ""), name);
    assert.doesNotMatch(name ?? "", /TOKEN|KEY|PASS|SECRET/);
  }
});

Deno.test("Dockerfile labels the image with the version of the program", async () => {
  const [labels = ""] = await valuesOf("LABEL");
  assert.ok(labels.includes(`org.opencontainers.image.version="${VERSION}"`));
});

Deno.test(".dockerignore lets in what the build reads and nothing that is not named", async () => {
  const lines = (await Deno.readTextFile(new URL(".dockerignore", ROOT))).split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  assert.equal(lines[0], "*");
  for (const line of lines.slice(1)) {
    assert.match(line, /^![\w.]+$/);
    await Deno.stat(new URL(line.slice(1), ROOT));
  }
  for (const name of ["deno.json", "deno.lock", "main.ts", "src", "scripts"]) {
    assert.ok(lines.includes(`!${name}`));
  }
});
