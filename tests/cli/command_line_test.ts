import assert from "node:assert/strict";
import fc from "fast-check";
import { tools } from "playwright-core/lib/coreBundle";
import { program } from "playwright-core/lib/utilsBundle";
import { type CommandLine, parseCommandLine } from "../../src/cli/command_line.ts";
import { COMMAND_FLAGS } from "../../src/cli/commands.ts";
import { AppError } from "../../src/errors.ts";
import { GROUPS, negativeFlag, secretFileNames } from "../../src/settings/option.ts";
import { envName } from "../../src/settings/option.ts";
import { optionRows } from "../../src/settings/option_table.ts";
import { UPSTREAM_FLAGS } from "../../src/settings/upstream_flags.ts";

function refusal(...argv: string[]): string {
  try {
    parseCommandLine(argv);
  } catch (error) {
    assert.ok(error instanceof AppError && error.exitStatus === 2);
    return error.describe();
  }
  return assert.fail(`accepted ${argv.join(" ")}`);
}

/** The flags as `--flag` or `--flag=value`. */
function flagsOf({ flags }: CommandLine): string[] {
  return flags.map(({ flag, value }) => value === undefined ? flag : `${flag}=${value}`);
}

Deno.test("parseCommandLine() serves without a command", () => {
  assert.deepEqual(parseCommandLine([]), { command: "serve", flags: [], json: false });
});

Deno.test("parseCommandLine() takes both forms of a value and keeps the order", () => {
  const line = parseCommandLine([
    "--caps",
    "pdf",
    "--log-level=debug",
    "--headless",
    "--user-agent=a=b",
    "--caps=",
  ]);
  assert.deepEqual(flagsOf(line), [
    "--caps=pdf",
    "--log-level=debug",
    "--headless",
    "--user-agent=a=b",
    "--caps=",
  ]);
});

Deno.test("parseCommandLine() takes a value that looks like a flag", () => {
  assert.deepEqual(flagsOf(parseCommandLine(["--extra-args", "--lang=de"])), ["--extra-args=--lang=de"]);
});

Deno.test("parseCommandLine() takes several values of a variadic flag", () => {
  const line = parseCommandLine([
    "--init-script",
    "a.js",
    "b.js",
    "--isolated",
    "--init-page=p.ts",
    "--init-page",
    "q.ts",
  ]);
  assert.deepEqual(flagsOf(line), [
    "--init-script=a.js",
    "--init-script=b.js",
    "--isolated",
    "--init-page=p.ts",
    "--init-page=q.ts",
  ]);
});

Deno.test("parseCommandLine() reads upstream's flags as upstream's own parser does, as a property", () => {
  const declared = new program.constructor();
  tools.decorateMCPCommand(declared, "0");
  const theirs = (argv: readonly string[]): string[] | undefined => {
    const flags: string[] = [];
    const command = new program.constructor();
    for (const { flags: form, long } of declared.options) {
      command.option(form);
      command.on(`option:${long.slice(2)}`, (value?: string) => {
        flags.push(value === undefined ? long : `${long}=${value}`);
      });
    }
    command.exitOverride().configureOutput({ writeErr: () => {} }).action(() => {});
    try {
      command.parse(argv, { from: "user" });
      return flags;
    } catch {
      return undefined;
    }
  };
  const ours = (argv: readonly string[]): string[] | undefined => {
    try {
      return flagsOf(parseCommandLine(argv));
    } catch {
      return undefined;
    }
  };
  const flag = fc.constantFrom(...UPSTREAM_FLAGS.map((row) => row.flag));
  const value = fc.constantFrom("a", "1280x720", "-5", "-x", "--", "", "a b", "x=y");
  const anything = fc.oneof(flag, value, fc.tuple(flag, value).map(([name, text]) => `${name}=${text}`));
  const wellFormed = fc.constantFrom(...UPSTREAM_FLAGS).chain((row): fc.Arbitrary<string[]> => {
    if (row.arity === "switch") return fc.constant([row.flag]);
    const values = fc.array(value, { minLength: 1, maxLength: row.arity === "variadic" ? 3 : 1 });
    return fc.oneof(values.map((all) => [row.flag, ...all]), value.map((text) => [`${row.flag}=${text}`]));
  });
  const words = fc.oneof({ weight: 9, arbitrary: wellFormed }, {
    weight: 1,
    arbitrary: anything.map((word) => [word]),
  });
  fc.assert(
    fc.property(fc.array(words, { maxLength: 8 }).map((all) => all.flat()), (argv) => {
      assert.deepEqual(ours(argv), theirs(argv), argv.join(" "));
    }),
    { numRuns: 500 },
  );
});

Deno.test("parseCommandLine() refuses an unknown option with a suggestion and where to look", () => {
  assert.equal(
    refusal("--headles"),
    'Unknown option "--headles" (did you mean "--headless"?). See "cloakbrowser-mcp --help"',
  );
  assert.match(refusal("--no-headles"), /"--no-headless"/);
  assert.match(refusal("--viewportsize=1x1"), /^Unknown option "--viewportsize" .*"--viewport-size"/);
  assert.match(refusal("-x"), /^Unknown option "-x"\. See/);
  assert.match(refusal("config", "--zzzzzzz"), /^Unknown option "--zzzzzzz"\. See/);
  for (const argv of [["--headles"], ["--zzz"], ["-headless"]]) assert.ok(!refusal(...argv).includes("\n"));
});

Deno.test("parseCommandLine() explains that a switch takes no value", () => {
  assert.match(refusal("--headless=false"), /--headless takes no value\. Use --headless or --no-headless/);
  assert.match(refusal("--headless", "true"), /^Unexpected argument "true": a switch takes no value/);
});

Deno.test("parseCommandLine() refuses a flag without its value", () => {
  assert.match(refusal("--caps"), /^Missing value for --caps <caps>/);
});

Deno.test("parseCommandLine() refuses excess arguments", () => {
  assert.match(refusal("conig"), /^Unexpected argument "conig" \(did you mean "config"\?\)/);
  assert.match(refusal("config", "extra"), /^Unexpected argument "extra"/);
  assert.match(refusal("license", "login", "extra"), /^Unexpected argument "extra"/);
  assert.match(refusal("--", "x"), /^Unexpected argument "x"/);
});

Deno.test("parseCommandLine() takes flags before and after a command", () => {
  const line = parseCommandLine(["--log-level", "info", "config", "--json", "--headless"]);
  assert.equal(line.command, "config");
  assert.equal(line.json, true);
  assert.deepEqual(flagsOf(line), ["--log-level=info", "--headless"]);
});

Deno.test("parseCommandLine() knows --version in all its forms", () => {
  for (const argv of [["--version"], ["-V"], ["version"], ["--headless", "--version"]]) {
    assert.equal(parseCommandLine(argv).command, "version");
  }
  assert.equal(parseCommandLine(["--version", "--json"]).json, true);
});

Deno.test("parseCommandLine() takes --deep with doctor alone, beside settings", () => {
  const line = parseCommandLine(["doctor", "--deep", "--json", "--port", "3000"]);
  assert.deepEqual([line.command, line.deep, line.json], ["doctor", true, true]);
  assert.deepEqual(flagsOf(line), ["--port=3000"]);
  assert.equal(parseCommandLine(["doctor"]).deep, undefined);
  assert.match(refusal("--deep"), /^Cannot use --deep here/);
  assert.match(refusal("config", "--deep"), /^Cannot use --deep here/);
});

Deno.test("parseCommandLine() refuses --json where nothing is printed", () => {
  assert.match(refusal("--json"), /^Cannot use --json here/);
  assert.match(refusal("install", "--json"), /^Cannot use --json here/);
});

Deno.test("parseCommandLine() wants a known shell", () => {
  assert.equal(parseCommandLine(["completions", "fish"]).shell, "fish");
  assert.match(refusal("completions"), /"shell"/);
  assert.match(refusal("completions", "tcsh"), /bash, zsh, fish/);
});

Deno.test("parseCommandLine() gives help that has every option with variables and defaults, in groups", () => {
  const { command, help = "" } = parseCommandLine(["--help"], 200);
  assert.equal(command, "help");
  for (const [key, option] of optionRows()) {
    if (option.flag !== undefined) {
      const shown = option.type === "boolean"
        ? negativeFlag(option.flag).replace("--no-", "--[no-]")
        : option.flag;
      assert.ok(help.includes(`  ${shown}`), key);
    }
    if (option.secret) assert.ok(help.includes(secretFileNames(key, option).flag));
    for (const env of option.env) assert.ok(help.includes(envName(env)), key);
  }
  for (const { flag, hidden, refused, ours } of UPSTREAM_FLAGS) {
    if (ours === undefined) assert.equal(help.includes(`  ${flag} `), !hidden && !refused, flag);
  }
  assert.match(help, /default: 268435456/);
  assert.match(help, /choices: cloak, playwright, auto/);
  assert.ok(GROUPS.length >= 5);
  for (
    const heading of [
      "General:",
      "Browser:",
      "Upstream process:",
      "Log:",
      "Playwright MCP:",
      "Commands:",
      "Exit status:",
    ]
  ) {
    assert.ok(help.includes(`\n${heading}\n`), heading);
  }
  for (const status of [0, 1, 2, 3, 4, 5]) assert.match(help, new RegExp(`\\n  ${status}  \\S`));
});

Deno.test("parseCommandLine() gives help however it is asked for", () => {
  for (const argv of [["-h"], ["help"], ["--headless", "--help"]]) {
    assert.match(parseCommandLine(argv).help ?? "", /^Usage: cloakbrowser-mcp/);
  }
  assert.match(parseCommandLine(["config", "--help"]).help ?? "", /^Usage: cloakbrowser-mcp config/);
});

Deno.test("parseCommandLine() gives each command's help with the flags that are for it, all of them declared", () => {
  const all = parseCommandLine(["--help"]).help ?? "";
  for (const [name, flags] of Object.entries(COMMAND_FLAGS)) {
    const { help = "" } = parseCommandLine([name, "--help"]);
    for (const flag of flags) {
      for (const text of [all, help]) {
        assert.match(text, new RegExp(`^  ${flag}( |$)`, "m"), `${name} ${flag}`);
      }
    }
    assert.doesNotMatch(help, /--http-port/);
    assert.match(help, /"cloakbrowser-mcp --help"\.\n$/);
  }
});
