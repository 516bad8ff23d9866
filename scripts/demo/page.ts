/** A page that shows a heading, a form, and what the form did. */
const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<title>Demo of cloakbrowser-mcp</title>
<style>body { font: 20px sans-serif; margin: 3em }</style>
<h1>A page to browse</h1>
<label>Name <input></label>
<button onclick="document.querySelector('output').value = 'Hello, ' + document.querySelector('input').value">
  Greet
</button>
<p><output>Nobody was greeted yet</output></p>
`;

export interface ServedPage extends AsyncDisposable {
  readonly url: string;
}

/** Serves the page on a free port of the loopback interface. */
export function servePage(): ServedPage {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (new URL(request.url).pathname !== "/") return new Response("Not found", { status: 404 });
    return new Response(PAGE, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
