/** One page on a port of this machine that nobody else knows. */
export interface LoopbackPage extends AsyncDisposable {
  readonly url: string;
  /** Whether the page has been asked for. */
  wasRead(): boolean;
}

export function openLoopbackPage(): LoopbackPage {
  const path = `/${crypto.randomUUID()}`;
  let read = false;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen(): void {} }, (request): Response => {
    if (new URL(request.url).pathname !== path) return new Response(null, { status: 404 });
    read = true;
    return new Response(PAGE, { headers: { "Content-Type": "text/html; charset=utf-8" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}${path}`,
    wasRead: () => read,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.shutdown();
    },
  };
}

const PAGE = `<!doctype html><html lang="en"><title>It works</title><h1>It works</h1></html>`;
