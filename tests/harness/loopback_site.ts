/**
 * A web site on loopback for tests with a real browser. It keeps what browsers asked for.
 */
import { loopbackPage } from "./loopback_pages.ts";

export interface SiteVisit {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Body as text, empty where there is none. */
  readonly body: string;
}

export class LoopbackSite implements AsyncDisposable {
  readonly visits: SiteVisit[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #slow = new AbortController();
  readonly #pages: Readonly<Record<string, string>>;

  /** @param pages HTML by path, beside or instead of the pages that are always there */
  constructor(pages: Readonly<Record<string, string>> = {}) {
    this.#pages = pages;
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => this.#answer(request));
  }

  /** Without a slash at its end. */
  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  url(path: string): string {
    return this.origin + path;
  }

  /** Visits of one path, oldest first. */
  visitsOf(path: string): SiteVisit[] {
    return this.visits.filter((visit) => visit.path === path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#slow.abort();
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const body = await request.text();
    const headers = Object.fromEntries(request.headers);
    this.visits.push({ method: request.method, path: pathname, headers, body });
    if (pathname === "/api/data") return Response.json({ value: 42 });
    if (pathname === "/submit") {
      const fields = Array.from(new URLSearchParams(body), ([name, value]) => `${name}=${value}`);
      return html(
        `<title>Submitted</title><h1>Submitted</h1><p id="fields">${escapeHtml(fields.join("; "))}</p>`,
      );
    }
    if (pathname === "/redirect") {
      return new Response(null, { status: 302, headers: { location: "/second" } });
    }
    if (pathname === "/never") return await this.#unansweredUntilClose(request.signal);
    if (pathname === "/download") {
      return new Response(searchParams.get("text") ?? "downloaded text", {
        headers: { "content-type": "text/plain", "content-disposition": 'attachment; filename="note.txt"' },
      });
    }
    if (pathname === "/endless-download") return this.#endless();
    const page = this.#pages[pathname] ?? loopbackPage(pathname);
    return page === undefined ? new Response("Not found", { status: 404 }) : html(page);
  }

  /** A file that goes on for as long as somebody takes it. */
  #endless(): Response {
    const chunk = new Uint8Array(64 * 1024);
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(chunk) });
    return new Response(body, { headers: { "content-disposition": 'attachment; filename="endless.bin"' } });
  }

  /** A page that does not load while the browser waits for it and the site is open. */
  async #unansweredUntilClose(gone: AbortSignal): Promise<Response> {
    const end = AbortSignal.any([gone, this.#slow.signal]);
    if (!end.aborted) await new Promise((resolve) => end.addEventListener("abort", resolve, { once: true }));
    return new Response(null, { status: 503 });
  }
}

function html(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
