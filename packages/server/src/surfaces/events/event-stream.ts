/** One stream of server-sent events: events, heartbeats between them, and a final `bye`. */
import { MarketError } from '@market/contract';
import { type GuardedFeed, presentEvent } from '../../features/events/index.ts';

const RETRY_MS = 2_000;

/** The first id is the start of the stream, so that a reader cut off before the first event can resume. */
export async function* writeStream(feed: GuardedFeed, heartbeatMs: number): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\nid: ${feed.after}\n\n`;
  for (;;) {
    try {
      const batch = await feed.next(heartbeatMs);
      if (batch === undefined) return yield bye('server_stopping', 'This server stops. Connect again.');
      const lines = batch.events.map(
        (event) => `id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(presentEvent(event))}\n\n`,
      );
      // Readers remember an id without data, and show no event.
      yield lines.length > 0 ? lines.join('') : `: nothing new\nid: ${batch.cursor}\n\n`;
    } catch (error) {
      const known = error instanceof MarketError ? error : new MarketError('unavailable', { cause: error });
      return yield bye(known.code, known.message);
    }
  }
}

/** Has no id, so that readers keep the last one. */
function bye(reason: string, message: string): string {
  return `event: bye\ndata: ${JSON.stringify({ reason, message })}\n\n`;
}
