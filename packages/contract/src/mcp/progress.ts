/** Progress notifications while a tool waits for a chain: hosts show them, and clients do not time out. */

const EVERY_MS = 3_000;

export interface ProgressChannel {
  readonly token: string | number | undefined;
  readonly notify: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; message: string };
  }) => Promise<void>;
}

/** Sends nothing if the client gave no progress token. */
export async function withProgress<T>({ token, notify }: ProgressChannel, words: string, work: () => Promise<T>): Promise<T> {
  if (token === undefined) return await work();
  let progress = 0;
  const report = (message: string): void => {
    progress += 1;
    // Ignore a client that disconnected; the work goes on.
    notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } }).catch(() => undefined);
  };
  report(`${words}: started`);
  const timer = setInterval(() => report(`${words}: waiting for the chain`), EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
