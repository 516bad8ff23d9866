/** HTML of the loopback site, by path. Small, without outside resources, so that no test needs a network. */
const PAGES: Readonly<Record<string, readonly [title: string, body: string]>> = {
  "/": ["Home", '<h1>Home</h1><p>Loopback site</p><a href="/form">Form</a> <a href="/tabs">Tabs</a>'],
  "/form": [
    "Form",
    `<form action="/submit" method="post">
  <label>Name <input name="name"></label>
  <label>Notes <textarea name="notes"></textarea></label>
  <label><input type="checkbox" name="agree" value="yes"> Agree</label>
  <label><input type="radio" name="size" value="small"> Small</label>
  <label><input type="radio" name="size" value="large"> Large</label>
  <button type="submit">Send</button>
</form>`,
  ],
  "/click": [
    "Click",
    `<button id="count">Clicked 0 times</button>
<button id="later">Show later</button>
<div id="target" draggable="true">Drag me</div><div id="drop">Drop here</div>
<script>
  let clicks = 0;
  count.onclick = () => { count.textContent = "Clicked " + ++clicks + " times"; };
  later.onclick = () => setTimeout(() => document.body.append("Now it is here"), 200);
  later.onmouseover = () => { document.title = "Hovered"; };
  drop.ondragover = (event) => event.preventDefault();
  drop.ondrop = () => { drop.textContent = "Dropped"; };
  document.onkeydown = (event) => { document.body.dataset.key = event.key; };
</script>`,
  ],
  "/select": [
    "Select",
    `<label>Colour <select id="colour"><option value="red">Red</option><option value="blue">Blue</option></select></label>
<output id="chosen">none</output>
<script>colour.onchange = () => { chosen.textContent = "chosen " + colour.value; };</script>`,
  ],
  "/upload": [
    "Upload",
    `<label>File <input type="file" id="file"></label><output id="read">nothing</output>
<script>
  file.onchange = async () => { read.textContent = file.files[0].name + ": " + await file.files[0].text(); };
</script>`,
  ],
  "/dialog": [
    "Dialog",
    `<button id="alert">Alert</button><button id="confirm">Confirm</button><button id="prompt">Prompt</button>
<output id="answer">none</output>
<script>
  document.getElementById("alert").onclick = () => { window.alert("Take note"); answer.textContent = "noted"; };
  document.getElementById("confirm").onclick = () => { answer.textContent = "confirmed " + window.confirm("Sure?"); };
  document.getElementById("prompt").onclick = () => { answer.textContent = "said " + window.prompt("Your name?"); };
</script>`,
  ],
  "/tabs": ["Tabs", '<a href="/second" target="_blank">Open second</a>'],
  "/second": ["Second", "<h1>Second page</h1>"],
  "/console": [
    "Console",
    `<script>
  console.log("log line", 1);
  console.warn("warning line");
  console.error("error line");
  setTimeout(() => { throw new Error("page error"); });
</script><p>Console page</p>`,
  ],
  "/fetch": [
    "Fetch",
    `<output id="data">waiting</output>
<script>
  fetch("/api/data", { method: "POST", body: JSON.stringify({ ask: 1 }) })
    .then((answer) => answer.json()).then((value) => { data.textContent = "got " + value.value; });
</script>`,
  ],
  "/tall": ["Tall", '<div style="height: 3000px">Top</div><p id="bottom">Bottom</p>'],
};

/** The page at `path`, or undefined. */
export function loopbackPage(path: string): string | undefined {
  const page = PAGES[path];
  return page === undefined ? undefined : pageHtml(...page);
}

/** The empty icon keeps the browser from asking for one, which would be an error message in every console. */
export function pageHtml(title: string, body: string): string {
  const head = `<meta charset="utf-8"><link rel="icon" href="data:,"><title>${title}</title>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`;
}
