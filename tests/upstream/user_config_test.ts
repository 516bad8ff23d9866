import assert from "node:assert/strict";
import { join } from "node:path";
import { AppError } from "../../src/errors.ts";
import { readUserConfig } from "../../src/upstream/user_config.ts";

async function withFile(name: string, text: string, run: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  const path = join(directory, name);
  await Deno.writeTextFile(path, text);
  try {
    await run(path);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function refusal(path: string, reason: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "usage");
    assert.ok(error.message.includes(`"${path}"`));
    assert.match(error.message, reason);
    return true;
  };
}

Deno.test("readUserConfig() is empty without a file", async () => {
  assert.deepEqual(await readUserConfig(undefined), {});
});

Deno.test("readUserConfig() reads JSON, with a byte order mark too", () =>
  withFile("config.json", '\uFEFF{"capabilities": ["pdf"]}', async (path) => {
    assert.deepEqual(await readUserConfig(path), { capabilities: ["pdf"] });
  }));

Deno.test("readUserConfig() resolves init pages and init scripts against the file", () =>
  withFile(
    "c.json",
    '{"browser": {"initPage": ["a.ts"], "initScript": ["/b.js"], "isolated": true}}',
    async (path) => {
      assert.deepEqual(await readUserConfig(path), {
        browser: { initPage: [join(path, "..", "a.ts")], initScript: ["/b.js"], isolated: true },
      });
    },
  ));

Deno.test("readUserConfig() names line and column of a mistake", () =>
  withFile("config.json", '{\n  "browser": {\n    "isolated": tru\n  }\n}', async (path) => {
    await assert.rejects(readUserConfig(path), refusal(path, /not valid JSON at line 3, column 17/));
  }));

Deno.test("readUserConfig() names the end of a file that stops too early", () =>
  withFile("config.json", '{"browser": {', async (path) => {
    await assert.rejects(readUserConfig(path), refusal(path, /line 1, column 14/));
  }));

Deno.test("readUserConfig() refuses what upstream would fall over", async () => {
  for (
    const [text, reason] of [
      ["[]", /must hold a JSON object/],
      ["42", /must hold a JSON object/],
      ['{"browser": 1}', /"browser" must be an object/],
      ['{"browser": {"initPage": "a.ts"}}', /"browser\.initPage" must be a list of paths/],
    ] as const
  ) await withFile("c.json", text, (path) => assert.rejects(readUserConfig(path), refusal(path, reason)));
});

Deno.test("readUserConfig() names a file that cannot be read", async () => {
  const path = join(await Deno.makeTempDir(), "none.json");
  await assert.rejects(readUserConfig(path), refusal(path, /No such file|not find/i));
  await Deno.remove(join(path, ".."), { recursive: true });
});

Deno.test("readUserConfig() reads INI by name or by content", async () => {
  const text = "browser.isolated = true\nbrowser.initScript = a.js\n";
  for (const name of ["config.ini", "config"]) {
    await withFile(name, text, async (path) => {
      assert.deepEqual(await readUserConfig(path), {
        browser: { isolated: true, initScript: [join(path, "..", "a.js")] },
      });
    });
  }
});

for (
  const browser of ['{"launchOptions":[]}', '{"launchOptions":{"args":"--x"}}', '{"contextOptions":"x"}']
) {
  Deno.test(`readUserConfig() refuses ${browser}, which would put our options out of effect`, async () => {
    const path = await Deno.makeTempFile({ suffix: ".json" });
    try {
      await Deno.writeTextFile(path, `{"browser":${browser}}`);
      await assert.rejects(
        readUserConfig(path),
        /"browser\.(launchOptions|launchOptions\.args|contextOptions)" must be/,
      );
    } finally {
      await Deno.remove(path);
    }
  });
}
