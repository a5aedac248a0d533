/** `fetch` for the SDK that reports upload progress: browsers offer it only in XMLHttpRequest. */
export function fetchWithProgress(onProgress: (sent: number) => void): typeof globalThis.fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init?.method ?? 'GET', String(input));
      request.responseType = 'text';
      for (const [name, value] of new Headers(init?.headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
      request.onload = () => resolve(new Response(request.responseText, { status: request.status, headers: readHeaders(request) }));
      request.onerror = () => reject(new TypeError('the connection failed'));
      request.onabort = () => reject(new DOMException('aborted', 'AbortError'));
      init?.signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send((init?.body ?? null) as XMLHttpRequestBodyInit | null);
    });
}

function readHeaders(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return headers;
}
