/** People who hire, pay, deliver, approve, dispute and cancel at random, whatever the server does, and record every granted command. */
import assert from 'node:assert/strict';
import { type OrderCommand, type OrderStatus, orderLifecycle } from '@market/contract';
import { call, type Reply } from '../harness/http.ts';
import type { SharedMoney } from '../money/shared-money.ts';
import { buyerDoes, deliver, openTrade, placeOrder, providerDoes, sendPayments, start, submitPayment, type Trade } from './many-orders.ts';

export interface Crowd {
  /** Sends a random command to the server at this address. A connection that breaks counts as no answer. */
  act(url: string): Promise<void>;
  /** Requires every granted command in the history of its order; returns their number. */
  requireKept(): Promise<number>;
}

interface Hire {
  readonly orderId: string;
  /** The transfer for the payment. */
  reference?: string | undefined;
  status: OrderStatus;
  readonly granted: OrderCommand[];
}

const review = async (url: string, { buyer }: Trade, orderId: string) =>
  await call(url, `POST /api/orders/${orderId}/review`, { key: buyer.key, body: { rating: 4 } });

type Act = (url: string, trade: Trade, hire: Hire) => Promise<Reply>;
const acts: Partial<Record<OrderCommand, Act>> = {
  accept: (url, trade, { orderId }) => buyerDoes(url, trade, orderId, 'accept'),
  pay: (url, trade, { orderId, reference = '' }) => submitPayment(url, trade, orderId, reference),
  start: (url, trade, { orderId }) => start(url, trade, orderId),
  deliver: (url, trade, { orderId }) => deliver(url, trade, orderId),
  approve: (url, trade, { orderId }) => buyerDoes(url, trade, orderId, 'approve'),
  revision: (url, trade, { orderId }) => buyerDoes(url, trade, orderId, 'revision', { feedback: 'Once more.' }),
  allow_revision: (url, trade, { orderId }) => providerDoes(url, trade, orderId, 'allow_revision'),
  dispute: (url, trade, { orderId }) => buyerDoes(url, trade, orderId, 'dispute', { reason: 'Not what was agreed.' }),
  withdraw_dispute: (url, trade, { orderId }) => buyerDoes(url, trade, orderId, 'withdraw_dispute'),
  cancel: (url, trade, { orderId }) => buyerDoes(url, trade, orderId, 'cancel'),
  decline: (url, trade, { orderId }) => providerDoes(url, trade, orderId, 'decline'),
  refund: (url, trade, { orderId }) => providerDoes(url, trade, orderId, 'refund'),
  review: (url, trade, { orderId }) => review(url, trade, orderId),
};
const commands = Object.keys(acts) as OrderCommand[];
/** Commands that end an order early; chosen seldom. */
const earlyEnds: readonly OrderCommand[] = ['cancel', 'decline', 'refund'];
const EARLY_END_SHARE = 0.15;
const BLIND_SHARE = 0.15;
/** The number of orders under way at a time. */
const AT_WORK = 8;
const SENT_AHEAD = 8;

export async function openCrowd(shared: SharedMoney, url: string): Promise<Crowd> {
  const trade = await openTrade(shared, url);
  const open: Hire[] = [];
  const unspent = openPurse(shared, trade);

  const underWay = () => open.filter(({ status }) => status !== 'completed' && status !== 'cancelled');

  async function command(at: string): Promise<void> {
    const chosen = pick(Math.random() < BLIND_SHARE || underWay().length === 0 ? open : underWay());
    const name = chooseCommand(chosen.status);
    if (name === 'pay') chosen.reference ??= await unspent.take();
    if (name === 'pay' && chosen.reference === undefined) return;
    const reply = await acts[name]?.(at, trade, chosen);
    if (reply === undefined) return;
    // The clock leapt since the transfer was sent.
    if (reply.body['code'] === 'payment_too_old') chosen.reference = undefined;
    assert.ok([200, 400, 409, 503].includes(reply.status), `${name}: ${JSON.stringify(reply.body)}`);
    if (reply.status === 200) chosen.granted.push(name);
    // A grant returns the order; a refusal names its status.
    chosen.status = reply.body['data']?.status ?? chosen.status;
  }

  return {
    async act(at) {
      try {
        if (underWay().length < AT_WORK) open.push({ orderId: await placeOrder(at, trade), status: 'quoted', granted: [] });
        else await command(at);
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
      }
    },
    async requireKept() {
      for (const { orderId, granted } of open) {
        const text = 'select command from order_steps where order_id = $1';
        const steps = (await shared.database.pool.query<{ command: OrderCommand }>(text, [orderId])).rows.map((row) => row.command);
        for (const name of new Set(granted)) {
          const times = granted.filter((other) => other === name).length;
          // A repeated payment is granted again, but makes no second step.
          const kept = name === 'pay' ? Math.min(times, 1) : times;
          if (name !== 'review') assert.ok(steps.filter((step) => step === name).length >= kept, `${orderId} lost ${name} of ${granted}`);
        }
      }
      return open.reduce((sum, { granted }) => sum + granted.length, 0);
    },
  };
}

/** Transfers sent in advance and in batches, because waiting for each is slow. */
function openPurse(shared: SharedMoney, trade: Trade): { take(): Promise<string | undefined> } {
  const references: string[] = [];
  let filling: Promise<unknown> | undefined;
  return {
    async take() {
      if (references.length === 0) {
        // While the chain refuses them, the next call tries again.
        filling ??= sendPayments(shared, trade, SENT_AHEAD)
          .then((sent) => references.push(...sent))
          .catch(() => undefined)
          .finally(() => {
            filling = undefined;
          });
        await filling;
      }
      return references.pop();
    },
  };
}

/** Mostly a command that fits the last known status, sometimes any. */
function chooseCommand(status: OrderStatus): OrderCommand {
  const known = orderLifecycle.filter(({ from }) => from.includes(status)).map((row) => row.command);
  const sensible = known.filter((name) => acts[name] !== undefined && !(earlyEnds.includes(name) && Math.random() > EARLY_END_SHARE));
  return sensible.length === 0 || Math.random() < BLIND_SHARE ? pick(commands) : pick(sensible);
}

function pick<T>(choices: readonly T[]): T {
  const choice = choices[Math.floor(Math.random() * choices.length)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
}
