/** Name, type and size of one of our own files, from its response headers. */
import { useQuery } from '@tanstack/react-query';

export interface FileFacts {
  readonly name: string;
  readonly type: string;
  readonly bytes: number | undefined;
}

/** Our own files are served below this path, with a grant in the URL. */
export function isOwnFile(url: string, apiUrl: string): boolean {
  return url.startsWith(`${apiUrl}/files/`);
}

export function readFileFacts(headers: Headers): FileFacts {
  const disposition = headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename="([^"]*)"/i.exec(disposition)?.[1];
  const length = Number(headers.get('content-length') ?? '');
  return {
    name: (encoded === undefined ? plain : decode(encoded)) ?? 'File',
    type: (headers.get('content-type') ?? '').split(';')[0] ?? '',
    bytes: length > 0 ? length : undefined,
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Undefined while unknown, and for files whose facts cannot be read. */
export function useFileFacts(id: string, url: string | null): FileFacts | undefined {
  const { data } = useQuery({
    queryKey: ['file-facts', id],
    enabled: url !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const answer = await fetch(url ?? '', { method: 'HEAD', signal });
      if (!answer.ok) throw new Error(`the file answered ${answer.status}`);
      return readFileFacts(answer.headers);
    },
  });
  return data;
}

/** Label beside a file, such as `PDF`, `CSV` or `PNG`. */
export function fileKind(facts: FileFacts | undefined, mediaType: string | null): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(facts?.name ?? '')?.[1];
  return (ending ?? mediaType ?? 'file').toUpperCase();
}
