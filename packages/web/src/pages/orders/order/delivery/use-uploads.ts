/** Uploads to the market with their progress, one at a time. */
import { createMarketClient, MarketApiError } from '@market/sdk';
import { useRef, useState } from 'react';
import type { Answer } from '../../../../data/answers.ts';
import { fetchWithProgress } from './xhr-fetch.ts';

type UploadedFile = Answer<'uploads.upload'>['data'];

export interface PendingFile {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  /** The part sent so far, from 0 to 1. */
  readonly sent: number;
  readonly uploaded?: UploadedFile;
  readonly problem?: string;
}

export interface Uploads {
  readonly files: readonly PendingFile[];
  readonly busy: boolean;
  add(files: Iterable<File>): void;
  remove(id: number): void;
  clear(): void;
}

export const ACCEPTED =
  'image/jpeg,image/png,image/webp,image/gif,video/mp4,video/webm,video/quicktime,application/pdf,application/zip,.txt,.md,.csv,.json,.py';
const LARGEST = 50 * 1024 * 1024;

export function useUploads(): Uploads {
  const [files, setFiles] = useState<readonly PendingFile[]>([]);
  const count = useRef(0);
  const queue = useRef(Promise.resolve());
  const change = (id: number, part: Partial<PendingFile>) =>
    setFiles((all) => all.map((file) => (file.id === id ? { ...file, ...part } : file)));

  async function send(id: number, file: File): Promise<void> {
    const client = createMarketClient({ baseUrl: location.origin, fetch: fetchWithProgress((sent) => change(id, { sent })) });
    try {
      const { data } = await client.uploads.upload({ file });
      change(id, { sent: 1, uploaded: data });
    } catch (error) {
      change(id, { problem: error instanceof MarketApiError ? error.message : 'The file could not be sent. Choose it again.' });
    }
  }

  return {
    files,
    busy: files.some(({ uploaded, problem }) => uploaded === undefined && problem === undefined),
    add(chosen) {
      for (const file of chosen) {
        count.current += 1;
        const id = count.current;
        const problem = file.size > LARGEST ? 'Larger than 50 MB. Send a smaller file or a link.' : undefined;
        setFiles((all) => [...all, { id, name: file.name, size: file.size, sent: 0, ...(problem !== undefined && { problem }) }]);
        if (problem === undefined) queue.current = queue.current.then(() => send(id, file));
      }
    },
    remove: (id) => setFiles((all) => all.filter((file) => file.id !== id)),
    clear: () => setFiles([]),
  };
}
