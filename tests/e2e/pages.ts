/** Pages that only the end-to-end and parity tests need, beside those of every loopback site. */
import { pageHtml } from "../harness/loopback_pages.ts";

const PAGES: Readonly<Record<string, readonly [title: string, body: string]>> = {
  "/order": [
    "Order",
    `<form>
  <label>Name <input name="name"></label>
  <label>Password <input name="password" type="password" autocomplete="current-password"></label>
  <label><input type="checkbox" name="agree"> Agree</label>
  <label><input type="radio" name="size" value="large"> Large</label>
  <label>Colour <select name="colour"><option>Red</option><option>Blue</option></select></label>
  <label>Volume <input type="range" name="volume" min="0" max="10" value="5"></label>
</form>
<output id="order">nothing</output>
<script>
  const form = document.forms[0];
  form.oninput = () => {
    order.textContent = Array.from(new FormData(form), ([name, value]) => name + "=" + value).join("; ");
  };
</script>`,
  ],
  "/keys": [
    "Keys",
    `<label>Text <input id="text"></label><output id="events">none</output><output id="sent">not sent</output>
<script>
  let downs = 0;
  text.onkeydown = (event) => {
    events.textContent = ++downs + " keys, last " + event.key;
    if (event.key === "Enter") sent.textContent = "sent " + text.value;
  };
</script>`,
  ],
  "/mouse": [
    "Mouse",
    `<div id="board" style="position: absolute; left: 0; top: 0; width: 400px; height: 300px">Board</div>
<output id="seen" style="position: absolute; top: 320px">nothing</output>
<script>
  const seenEvents = [];
  for (const type of ["mousedown", "mouseup", "click", "dblclick", "contextmenu", "wheel"]) {
    board.addEventListener(type, (event) => {
      event.preventDefault();
      seenEvents.push(type + "@" + event.clientX + "," + event.clientY);
      seen.textContent = seenEvents.join(" ");
    });
  }
</script>`,
  ],
  "/drop": [
    "Drop",
    `<div id="zone" style="width: 200px; height: 100px">Drop zone</div><output id="dropped">nothing</output>
<script>
  zone.ondragover = (event) => event.preventDefault();
  zone.ondrop = async (event) => {
    event.preventDefault();
    const files = await Promise.all(
      Array.from(event.dataTransfer.files, async (file) => file.name + ": " + await file.text()),
    );
    dropped.textContent = [...files, event.dataTransfer.getData("text/plain")].filter(Boolean).join("; ");
  };
</script>`,
  ],
  "/fading": [
    "Fading",
    `<button id="fade">Fade</button><p id="old">Old text</p>
<script>fade.onclick = () => setTimeout(() => { old.textContent = "New text"; }, 200);</script>`,
  ],
  "/visits": [
    "Visits",
    `<output id="visits">loading</output>
<script>
  const before = Number(/visits=(\\d+)/.exec(document.cookie)?.[1] ?? 0);
  document.cookie = "visits=" + (before + 1) + "; max-age=3600";
  const stored = Number(localStorage.getItem("visits") ?? 0);
  localStorage.setItem("visits", String(stored + 1));
  visits.textContent = "cookie " + before + ", storage " + stored;
</script>`,
  ],
  "/noise": [
    "Noise",
    `<p>Noise</p><script>
  console.debug("debug line");
  console.log("log line", 1, { two: [2] });
  console.warn("warning line");
  console.error("error line");
</script>`,
  ],
  "/box": ["Box", `<div id="box" style="width: 120px; height: 80px; background: teal"></div>`],
};

/** HTML by path, for {@linkcode LoopbackSite}. */
export const E2E_PAGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(PAGES).map(([path, [title, body]]) => [path, pageHtml(title, body)]),
);
