/** Money on its way out as orders send it: paid in, held in escrow, owed, queued, and followed until it arrived. */
import assert from 'node:assert/strict';
import type { NetworkName } from '@market/contract';
import { agentPayable, escrow, post } from '../../packages/server/src/features/ledger/index.ts';
import { type PayoutRow, queuePayout } from '../../packages/server/src/features/payouts/index.ts';
import { findPayout } from '../../packages/server/src/features/payouts/repository.ts';
import { newId } from '../../packages/server/src/platform/random.ts';
import { freshAddress, type Payer } from '../harness/payers.ts';
import { chainOf, type Money, outcomeOf, requestFor, until } from './money.ts';

/** Pays for an order, with the whole amount in its escrow. */
export async function payForOrder(money: Money, payer: Payer, micros: bigint): Promise<string> {
  const { network } = payer.chain;
  const reference = await payer.pay(chainOf(money, network).treasury, micros);
  const request = requestFor(money, network, reference, { expectedMicros: micros, payers: [payer.address] });
  assert.equal(await outcomeOf(money, request), 'granted');
  return request.subjectId;
}

export interface Outgoing {
  readonly purpose: 'payout' | 'refund';
  readonly network: NetworkName;
  readonly subjectId: string;
  readonly amountMicros: bigint;
  readonly destination?: string;
}

/** Queues what an order owes: a payout through the agent's account, a refund straight from escrow. */
export async function queueOutgoing(money: Money, outgoing: Outgoing): Promise<PayoutRow> {
  const { purpose, network, subjectId, amountMicros, destination = freshAddress(network) } = outgoing;
  const held = escrow(network, subjectId);
  const owed = agentPayable(network, newId('agt', money.clock.now()));
  return await money.database.transaction(async (tx) => {
    if (purpose === 'payout') {
      const entries = [
        { account: held, micros: -amountMicros },
        { account: owed, micros: amountMicros },
      ];
      await post(tx, { kind: 'escrow_released', subjectId, idempotencyKey: `release:${subjectId}`, entries });
    }
    const from = purpose === 'payout' ? owed : held;
    return await queuePayout(tx, { purpose, subjectId, network, destination, amountMicros, from });
  });
}

export async function readPayout(money: Money, id: string): Promise<PayoutRow> {
  const payout = await findPayout(money.database.db, id);
  assert.ok(payout, `payout ${id} is there`);
  return payout;
}

export async function untilState(money: Money, id: string, state: PayoutRow['state'], seconds?: number): Promise<PayoutRow> {
  let last: PayoutRow | undefined;
  return await until(
    `payout ${id} becoming ${state}`,
    async () => {
      last = await readPayout(money, id);
      return last.state === state ? last : undefined;
    },
    seconds,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${last?.state}: ${last?.reason ?? 'no reason'}`);
  });
}

/** The destination is fresh, so its balance shows a second transfer. The payout's reference must be that transfer. */
export async function requirePaidOnce(money: Money, { id }: Pick<PayoutRow, 'id'>): Promise<void> {
  const payout = await readPayout(money, id);
  assert.equal(payout.state, 'confirmed', `${payout.purpose} on ${payout.network}`);
  const chain = chainOf(money, payout.network);
  assert.equal((await chain.readBalances(payout.destination)).usdcMicros, payout.amountMicros);
  const reading = await chain.readReceipt(payout.reference ?? '');
  assert.ok(reading.state === 'landed' && reading.receipt.finality === 'final');
  // On EVM networks the treasury paid by authorisation, which reduces no receipt.
  assert.equal(reading.receipt.receivedMicros, chain.kind === 'evm' ? 0n : -payout.amountMicros);
  const attempts = await money.database.db.selectFrom('outgoingAttempts').selectAll().where('intentId', '=', id).execute();
  assert.equal(attempts.filter(({ state }) => state === 'confirmed').length, 1);
}
