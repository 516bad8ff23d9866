import assert from "node:assert/strict";
import { binaryNote, type NoteInput } from "../../src/browser/binary_note.ts";

const INPUT: NoteInput = {
  settings: { browserEngine: "cloak", binaryPath: undefined },
  plan: { engine: "cloak", executablePath: "/cache/chrome", source: "cloakbrowser" },
  choice: undefined,
  binary: undefined,
  fallbackReason: undefined,
};

Deno.test("binaryNote() says which setting has no effect", () => {
  const choice = { kind: "executable", origin: "--executable-path", executablePath: "/opt/chrome" } as const;
  const settings = { browserEngine: "cloak", binaryPath: "/opt/other" } as const;
  assert.equal(
    binaryNote({ ...INPUT, choice, settings }),
    'The browser was chosen by --executable-path; "/opt/other" is not used',
  );
  assert.equal(
    binaryNote({ ...INPUT, settings: { ...settings, browserEngine: "playwright" } }),
    'Playwright MCP chooses the browser; "/opt/other" is not used with this engine',
  );
});

Deno.test("binaryNote() says why an installed browser runs", () => {
  assert.match(
    binaryNote({ ...INPUT, fallbackReason: "no network" }) ?? "",
    /instead of CloakBrowser: no network$/,
  );
});

Deno.test("binaryNote() says that there is no CloakBrowser for the platform", () => {
  assert.equal(binaryNote(INPUT), "There is no CloakBrowser for this platform");
});
