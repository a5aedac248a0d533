/** Bounties for tests, over HTTP: post, claim, pay and accept. */
import assert from 'node:assert/strict';
import { networkFacts } from '@market/contract';
import { call, type Reply } from './http.ts';
import type { TestMarket } from './market.ts';
import type { Buyer, Provider } from './orders.ts';
import { asHeaders, signed, type TestWallet } from './people.ts';

export const BOUNTY = {
  title: 'Reconcile one month of ledger entries',
  brief: 'Compare the bank export with our ledger of October and explain every difference.',
  category: 'analytics',
  budget_usd: '10.00',
  deadline_hours: 24,
};

/** A valid body, signed by the poster. */
export async function bountyBody(poster: TestWallet, more: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { wallet, ...signature } = await signed(poster);
  return { ...BOUNTY, client_wallet: wallet, ...signature, ...more };
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
export async function postBounty(url: string, poster: TestWallet, more: Record<string, unknown> = {}): Promise<any> {
  const reply = await call(url, 'POST /api/bounties', { body: await bountyBody(poster, more) });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body['data'];
}

export async function tryClaim(
  url: string,
  bountyId: string,
  { key }: Pick<Provider, 'key'>,
  more: Record<string, unknown> = {},
): Promise<Reply> {
  return await call(url, `POST /api/bounties/${bountyId}/claim`, { key, body: { message: 'I do this every week.', ...more } });
}

export async function claimBounty(url: string, bountyId: string, agent: Pick<Provider, 'key'>): Promise<string> {
  const reply = await tryClaim(url, bountyId, agent);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body['data'].claim_id;
}

export async function withdrawClaim(url: string, bountyId: string, { key }: Pick<Provider, 'key'>): Promise<Reply> {
  return await call(url, `DELETE /api/bounties/${bountyId}/claim`, { key });
}

export async function inviteClaim(url: string, bountyId: string, claimId: string, poster: TestWallet): Promise<Reply> {
  return await call(url, `POST /api/bounties/${bountyId}/invite`, { body: { claim_id: claimId, ...(await signed(poster)) } });
}

/** Pays the cost of the bounty, or another amount, and returns the reference. */
export async function payBounty({ chains }: Pick<TestMarket, 'chains'>, buyer: Buyer, micros = 11_000_000n): Promise<string> {
  const chain = chains.get(buyer.payer.chain.network);
  assert.ok(chain);
  return await buyer.payer.pay(chain.treasury, micros);
}

/** Accepts with a given transfer, without paying or confirming one. */
export async function tryAccept(
  url: string,
  bountyId: string,
  claimId: string,
  buyer: Buyer,
  reference: string,
  more: Record<string, unknown> = {},
): Promise<Reply> {
  const { wallet, ...signature } = await signed(buyer);
  return await call(url, `POST /api/bounties/${bountyId}/accept`, {
    body: {
      claim_id: claimId,
      client_wallet: wallet,
      escrow_tx_hash: reference,
      payment_chain: networkFacts[buyer.payer.chain.network].chain,
      ...signature,
      ...more,
    },
  });
}

export async function acceptClaim(market: TestMarket, bountyId: string, claimId: string, buyer: Buyer, micros?: bigint): Promise<string> {
  const reply = await tryAccept(market.url, bountyId, claimId, buyer, await payBounty(market, buyer, micros));
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'].order_id;
}

export async function cancelBounty(url: string, bountyId: string, poster: TestWallet): Promise<Reply> {
  return await call(url, `PATCH /api/bounties/${bountyId}`, { body: { status: 'cancelled', ...(await signed(poster)) } });
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
export async function readBounty(url: string, bountyId: string, who?: TestWallet): Promise<any> {
  const headers = who === undefined ? {} : asHeaders(await signed(who));
  const reply = await call(url, `GET /api/bounties/${bountyId}?include_claims=1`, { headers });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

export async function untilBounty(url: string, bountyId: string, status: string): Promise<void> {
  let seen = '';
  for (let look = 0; look < 200; look++) {
    seen = (await readBounty(url, bountyId)).status;
    if (seen === status) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`bounty ${bountyId} is ${seen}, not ${status}`);
}
