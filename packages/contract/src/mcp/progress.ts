/** Signs of life while a tool waits for a chain: hosts show them, and clients do not give up. */

const EVERY_MS = 3_000;

export interface ProgressChannel {
  readonly token: string | number | undefined;
  readonly notify: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; message: string };
  }) => Promise<void>;
}

/** Sends nothing where the client gave no token. */
export async function withProgress<T>({ token, notify }: ProgressChannel, words: string, work: () => Promise<T>): Promise<T> {
  if (token === undefined) return await work();
  let progress = 0;
  const tell = (message: string): void => {
    progress += 1;
    // A client that went away hears nothing; the work goes on.
    notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } }).catch(() => undefined);
  };
  tell(`${words}: started`);
  const timer = setInterval(() => tell(`${words}: waiting for the chain`), EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
