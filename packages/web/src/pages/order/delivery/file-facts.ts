/** Name, type and size of a file of ours, from the headers it is served with. */
import { useQuery } from '@tanstack/react-query';

export interface FileFacts {
  readonly name: string;
  readonly type: string;
  readonly bytes: number | undefined;
}

/** Files of this market are served below this path, with a grant in the address. */
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

/** Undefined until known, and where it cannot be known. */
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

/** `PDF`, `CSV`, `PNG`: three or four letters for the label beside a file. */
export function fileKind(facts: FileFacts | undefined, mediaType: string | null): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(facts?.name ?? '')?.[1];
  return (ending ?? mediaType ?? 'file').toUpperCase();
}
