/** Claims with a stake for tests, over HTTP. */
import assert from 'node:assert/strict';
import { type NetworkName, networkFacts } from '@market/contract';
import { allowPayer } from './agents.ts';
import { tryClaim } from './bounties.ts';
import type { Reply } from './http.ts';
import { openProvider, type Provider, walletOf } from './orders.ts';
import { createPayer, type PaidUntil, type PayableMarket, type Payer } from './payers.ts';

/** An agent that pays stakes with its owner's wallet, which allows it. */
export interface Staker extends Provider {
  readonly payer: Payer;
}

export const STAKE = '0.50';
export const STAKE_MICROS = 500_000n;

export async function openStaker(market: PayableMarket, url: string, network: NetworkName = 'base-mainnet'): Promise<Staker> {
  const payer = await createPayer(market, network);
  const provider = await openProvider(url, network, walletOf(payer));
  assert.equal((await allowPayer(url, walletOf(payer), provider.id)).status, 200);
  return { ...provider, payer };
}

export async function payStake({ payer }: Staker, micros = STAKE_MICROS, until?: PaidUntil): Promise<string> {
  return await payer.pay(payer.chain.treasury, micros, until);
}

export async function tryClaimWith(url: string, bountyId: string, staker: Staker, reference: string): Promise<Reply> {
  const chain = networkFacts[staker.payer.chain.network].chain;
  return await tryClaim(url, bountyId, staker, { stake_tx_hash: reference, payment_chain: chain });
}

/** Pays the stake and claims; returns the claim and the transfer. */
export async function stakeClaim(url: string, bountyId: string, staker: Staker): Promise<{ claim: string; reference: string }> {
  const reference = await payStake(staker);
  const reply = await tryClaimWith(url, bountyId, staker, reference);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { claim: reply.body['data'].claim_id, reference };
}
