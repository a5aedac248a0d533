// Plays one order from its current state to the end of its script. It reads the steps done so far from the order, so an interrupted run
// continues and a second run does nothing.
import { MarketApiError } from '@market/sdk';
import { drawPoster } from '../sample-agents/draw-poster.ts';
import type { DemoOrder, Step } from './content/content.ts';
import type { OpenedBuyer } from './open-buyers.ts';
import type { OpenedOffer } from './open-offers.ts';
import { payForOrder } from './pay-for-order.ts';
import { pollUntil } from './poll-until.ts';

export interface Scene {
  readonly buyer: OpenedBuyer;
  readonly offer: Pick<OpenedOffer, 'agent'>;
  readonly orderId: string;
}

const SAMPLE_SECONDS = 90;

/** Throws if the order cannot continue, for example because a deadline passed while no run played it. */
export async function playOrder(scene: Scene, { steps }: Pick<DemoOrder, 'steps'>): Promise<void> {
  const done = await readDone(scene);
  const seen = new Map<string, number>();
  for (const step of steps) {
    const name = nameOf(step);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    if ((done.get(name) ?? 0) < times) await play(scene, step);
  }
}

function nameOf(step: Step): string {
  return step.do === 'state' ? `state ${step.side}` : step.do;
}

/** Counts how often each step happened so far. */
async function readDone({ buyer, orderId }: Scene): Promise<ReadonlyMap<string, number>> {
  const { data: view } = await buyer.client.orders.get({ id: orderId });
  const done = new Map<string, number>();
  const count = (name: string): void => void done.set(name, (done.get(name) ?? 0) + 1);
  for (const { action } of view.timeline) count(action);
  done.set('generate', done.get('answer_request') ?? 0);
  if (view.order.paid_at !== null) {
    const { data: messages } = await buyer.client.messages.list({ id: orderId });
    for (const { sender_type: sender } of messages) count(sender === 'client' ? 'message' : 'answer');
  }
  if (view.dispute !== null) {
    const { data } = await buyer.client.disputes.get({ id: orderId });
    for (const { side } of data.statements) count(`state ${side}`);
  }
  return done;
}

async function play(scene: Scene, step: Step): Promise<void> {
  const { buyer, offer, orderId: id } = scene;
  const provider = offer.agent.client;
  switch (step.do) {
    case 'quote':
      return void (await provider.orders.quote({ id, price_usd: step.price, note: step.note }));
    case 'accept':
      return void (await buyer.client.orders.accept({ id }));
    case 'pay':
      return await payForOrder(buyer, id);
    case 'start':
      return void (await provider.orders.start({ id }));
    case 'message':
      return void (await buyer.client.messages.send({ id, content: step.words }));
    case 'answer':
      return void (await provider.messages.send({ id, content: step.words }));
    case 'deliver':
      return await deliver(scene, step);
    case 'revision':
      return void (await buyer.client.orders.requestRevision({ id, feedback: step.feedback }));
    case 'approve':
      return void (await buyer.client.orders.approve({ id }));
    case 'review':
      return void (await buyer.client.reviews.create({ id, rating: step.rating, comment: step.comment }));
    case 'dispute':
      return void (await buyer.client.orders.dispute({ id, reason: step.reason }));
    case 'state': {
      const speaker = step.side === 'buyer' ? buyer.client : provider;
      return void (await speaker.disputes.state({ id, statement: step.words }));
    }
    case 'cancel':
      return void (await buyer.client.orders.cancel({ id, reason: step.reason }));
    case 'generate':
      return await generate(scene, step);
    case 'await_quote':
      return await untilTaken(scene, 'quote');
    case 'await_delivery':
      return await untilTaken(scene, 'deliver');
  }
}

async function deliver({ offer, orderId: id }: Scene, step: Extract<Step, { do: 'deliver' }>): Promise<void> {
  const { client } = offer.agent;
  if ('text' in step) {
    await client.orders.deliver({ id, content: step.text, deliverable_media_type: 'text' });
    return;
  }
  const file = new File([drawPoster(step.picture)], 'picture.png', { type: 'image/png' });
  const { data } = await client.uploads.upload({ file });
  await client.orders.deliver({ id, deliverable_url: data.url, deliverable_media_type: 'image' });
}

/** Answers a request that an interrupted run opened, instead of opening it again. */
async function generate({ buyer, offer, orderId: id }: Scene, step: Extract<Step, { do: 'generate' }>): Promise<void> {
  const { data: open } = await buyer.client.workspaces.listRequests({ id, status: 'pending' });
  const waiting = open.find(({ prompt }) => prompt === step.prompt);
  const requestId = waiting?.request_id ?? (await buyer.client.workspaces.generate({ id, prompt: step.prompt })).data.deliverable.id;
  await offer.agent.client.orders.deliver({ id, request_id: requestId, content: step.answer, deliverable_media_type: 'text' });
}

async function untilTaken({ buyer, orderId: id }: Scene, action: 'quote' | 'deliver'): Promise<void> {
  const taken = await pollUntil(async () => {
    const { data } = await buyer.client.orders.get({ id });
    return data.timeline.some((entry) => entry.action === action) ? true : undefined;
  }, SAMPLE_SECONDS);
  if (taken === undefined) throw new Error(`no sample agent came to ${action} ${id}`);
}

/** True if the market refused the call; other errors are failures of transport or server. */
export function isRefusal(error: unknown): error is MarketApiError {
  return error instanceof MarketApiError && error.status >= 400 && error.status < 500;
}
