/**
 * Eyes on the one request that takes minutes. The `cloakbrowser` package fetches the archive with the global `fetch`,
 * tells of every tenth percent and waits ten minutes for a host that says nothing. This counts the bytes as they come,
 * and ends a download that stands still or that nobody wants any more.
 */

/** Bytes of the archive. */
export interface ArchiveProgress {
  readonly received: number;
  /** Undefined where the host does not tell. */
  readonly total: number | undefined;
}

export interface ArchiveWatchOptions {
  /** How long no byte may come. */
  readonly stallMs: number;
  readonly onBytes?: (progress: ArchiveProgress) => void;
  readonly signal?: AbortSignal;
}

export interface ArchiveWatch extends Disposable {
  /** The next request for this address is the archive; every other one passes untouched. */
  expect(url: string): void;
}

/** What holds the `fetch` that is watched. */
export interface FetchHolder {
  fetch: typeof fetch;
}

/** Watches until it is disposed; a request that is under way then goes on unwatched. */
export function watchArchive(options: ArchiveWatchOptions, target: FetchHolder = globalThis): ArchiveWatch {
  const { fetch: original } = target;
  let expected: string | undefined;
  let ended = false;
  const watching: typeof fetch = async (input, init) => {
    if (ended || input !== expected) return await original.call(globalThis, input, init);
    return await fetchWatched(original, input, init, options);
  };
  target.fetch = watching;
  return {
    expect(url): void {
      expected = url;
    },
    [Symbol.dispose](): void {
      ended = true;
      if (target.fetch === watching) target.fetch = original;
    },
  };
}

async function fetchWatched(
  original: typeof fetch,
  url: string,
  init: RequestInit | undefined,
  { stallMs, onBytes, signal }: ArchiveWatchOptions,
): Promise<Response> {
  const stall = new AbortController();
  const ends = [stall.signal, signal, init?.signal].filter((each) => each instanceof AbortSignal);
  const end = AbortSignal.any(ends);
  // Deno 2.7.11 does not always reject a pending read when its request is aborted, so nothing relies on that.
  const aborted = new Promise<never>((_, reject) => {
    if (end.aborted) reject(end.reason);
    else end.addEventListener("abort", () => reject(end.reason), { once: true });
  });
  aborted.catch(() => {});
  const bounded = async <T>(step: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(
      () => stall.abort(new Error(`no data came for ${stallMs / 1000} s`)),
      stallMs,
    );
    try {
      end.throwIfAborted();
      return await Promise.race([step(), aborted]);
    } finally {
      clearTimeout(timer);
    }
  };

  const response = await bounded(() => original.call(globalThis, url, { ...init, signal: end }));
  if (!response.ok || response.body === null) return response;
  const reader = response.body.getReader();
  const length = Number(response.headers.get("content-length") ?? 0);
  const total = length > 0 ? length : undefined;
  let received = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      const { done, value } = await bounded(() => reader.read()).catch((error) => {
        reader.cancel(error).catch(() => {});
        throw error;
      });
      if (done) return controller.close();
      received += value.length;
      onBytes?.({ received, total });
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}
