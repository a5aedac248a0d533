// The loop of both sample agents: read orders, quote, start, work, deliver, answer. It keeps no state between rounds: the order has all
// that it needs, so a restarted worker continues.
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketApiError, type MarketClient } from '@market/sdk';

type ListedOrder = Awaited<ReturnType<MarketClient['orders']['listOfAgent']>>['data'][number];

export interface Work {
  readonly order: ListedOrder;
  /** The buyer's feedback on earlier rounds, oldest first. */
  readonly feedback: readonly string[];
}

export interface MadeFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Craft {
  /** The price and what it covers; called only for orders that wait for a quote. */
  quote?(order: ListedOrder): { readonly price: string; readonly note: string };
  make(work: Work): readonly MadeFile[];
  /** The reply to a message of the buyer. */
  reply(order: ListedOrder, message: string): string;
}

export interface WorkerOptions {
  readonly client: MarketClient;
  readonly agentId: string;
  readonly craft: Craft;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
  /** Time between start and delivery. */
  readonly workMs?: number;
}

const OPEN_STATUSES = 'pending_quote,paid,in_progress,delivered,revision_requested';
/** Events that start a new round. */
const CALLS = 'order.created,order.paid,order.message,order.revision_requested';
const LONGEST_WAIT_SECONDS = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Runs until the signal is aborted. It retries a market that does not answer, with growing pauses. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { signal, onProgress } = options;
  const begunMs = new Map<string, number>();
  let after: string | undefined;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const dueMs = await lookOnce(options, begunMs);
      after = await untilCalled(options, after, dueMs);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      onProgress(`a sample agent waits for the market: ${error instanceof Error ? error.message : String(error)}`);
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Waits for the next event of the agent's feed, at most until work is due; returns the feed's next cursor. */
async function untilCalled({ client, signal }: WorkerOptions, after: string | undefined, dueMs: number): Promise<string> {
  const wait = Math.min(LONGEST_WAIT_SECONDS, Math.ceil(dueMs / 1000));
  const position = after === undefined ? {} : { after };
  const page = await client.events.list({ ...position, types: CALLS, wait, limit: 500 }, { signal });
  return page.next_after;
}

/** Serves all open orders; returns the milliseconds until the next delivery is due. */
async function lookOnce(options: WorkerOptions, begunMs: Map<string, number>): Promise<number> {
  const { client, agentId, signal, onProgress } = options;
  const { data: orders } = await client.orders.listOfAgent({ id: agentId, status: OPEN_STATUSES, limit: 100 }, { signal });
  for (const id of begunMs.keys()) if (!orders.some((order) => order.id === id)) begunMs.delete(id);
  const due = await Promise.all(
    orders.map(async (order) => {
      try {
        return await serve(options, order, begunMs);
      } catch (error) {
        if (!(error instanceof MarketApiError) || error.status < 400 || error.status >= 500) throw error;
        // The buyer may have cancelled between reading and acting; the next round will show it.
        onProgress(`${order.id}: ${error.message}`);
        return Number.POSITIVE_INFINITY;
      }
    }),
  );
  return Math.min(LONGEST_WAIT_SECONDS * 1000, ...due);
}

/** Does the next step of an order; returns the milliseconds until its next one. */
async function serve(options: WorkerOptions, order: ListedOrder, begunMs: Map<string, number>): Promise<number> {
  const { client, craft, workMs = 4_000 } = options;
  const { id, status } = order;
  if (order.unread_messages > 0) await answerMessages(options, order);
  if (status === 'pending_quote' && craft.quote !== undefined) {
    const { price, note } = craft.quote(order);
    await client.orders.quote({ id, price_usd: price, note });
  }
  // Mark the order as started before working on it.
  if (status === 'paid') await client.orders.start({ id });
  if (status !== 'paid' && status !== 'in_progress' && status !== 'revision_requested') return Number.POSITIVE_INFINITY;
  const begun = begunMs.get(id) ?? performance.now();
  begunMs.set(id, begun);
  const leftMs = begun + workMs - performance.now();
  if (leftMs > 0) return leftMs;
  await deliver(options, order);
  begunMs.delete(id);
  return Number.POSITIVE_INFINITY;
}

async function deliver({ client, craft }: WorkerOptions, order: ListedOrder): Promise<void> {
  const { data: view } = await client.orders.get({ id: order.id });
  const feedback = view.timeline.flatMap(({ action, note }) => (action === 'revision' && note !== null ? [note] : []));
  const uploads = [];
  for (const { name, type, bytes } of craft.make({ order, feedback })) {
    uploads.push((await client.uploads.upload({ file: new File([bytes], name, { type }) })).data);
  }
  const deliverables = uploads.map(({ url, media_type: mediaType }) => ({ deliverable_url: url, deliverable_media_type: mediaType }));
  await client.orders.deliver({ id: order.id, deliverables });
}

/** Sends one reply to all messages since the last reply. After a crash, a sent reply is the last message, so it is not repeated. */
async function answerMessages({ client, craft }: WorkerOptions, order: ListedOrder): Promise<void> {
  const { data: messages } = await client.messages.list({ id: order.id });
  const last = messages.at(-1);
  if (last?.sender_type === 'client') await client.messages.send({ id: order.id, content: craft.reply(order, last.content) });
  await client.messages.markRead({ id: order.id });
}
