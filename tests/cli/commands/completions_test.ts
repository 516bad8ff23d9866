import assert from "node:assert/strict";
import { completionScript } from "../../../src/cli/commands/completions.ts";
import { SHELLS } from "../../../src/cli/commands.ts";

Deno.test("completionScript() has every visible flag and command for every shell", () => {
  for (const shell of SHELLS) {
    const script = completionScript(shell);
    for (const name of ["browser-engine", "no-headless", "viewport-size", "license-key-file", "help"]) {
      assert.ok(script.includes(name), `${shell} ${name}`);
    }
    for (const name of ["--vision", "-l vision", "shared-browser-context"]) {
      assert.ok(!script.includes(`${name} `), `${shell} ${name}`);
    }
    assert.ok(script.includes("cloak playwright auto"));
    assert.ok(script.includes("completions"));
  }
});

const bash = await new Deno.Command("bash", { args: ["--version"], stdout: "null", stderr: "null" }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "completionScript() completes flags and choices in bash",
  ignore: !bash,
  fn: async () => {
    const complete = async (...words: string[]): Promise<string[]> => {
      const script = `${completionScript("bash")}
COMP_WORDS=(cloakbrowser-mcp ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
_cloakbrowser_mcp; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, success } = await new Deno.Command("bash", { args: ["-c", script] }).output();
      assert.ok(success);
      return new TextDecoder().decode(stdout).split("\n").filter((word) => word !== "");
    };
    assert.deepEqual(await complete("--viewp"), ["--viewport-size"]);
    assert.deepEqual(await complete("--browser-engine", "p"), ["playwright"]);
    assert.deepEqual(await complete("conf"), ["config"]);
    assert.deepEqual(await complete("completions", ""), [...SHELLS]);
    assert.deepEqual(await complete("--user-agent", "x"), []);
  },
});
