/** Disconnects clients that stop reading a stream: unread data fills the memory. */

/** A client that reads nothing for this long is disconnected. */
export const STALLED_MS = 20_000;

/** Passes the chunks on. Calls `cutOff` when nobody takes the next chunk for `stalledMs`. */
export async function* cutOffStalled<T>(chunks: AsyncIterable<T>, stalledMs: number, cutOff: () => void): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    const timer = setTimeout(cutOff, stalledMs);
    try {
      yield chunk;
    } finally {
      clearTimeout(timer);
    }
  }
}
