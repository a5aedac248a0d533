/** A token that changed agents: each agent claims what the token earned while it was its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AgentId, splitCreatorFee } from '@market/contract';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import { AccountRole } from '@solana/instructions';
import { listOpenThings } from '../../packages/server/src/features/accounts/closing/open-things-repository.ts';
import { TOKEN_PROGRAM } from '../../packages/server/src/platform/chains/solana/programs.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { payFee, untilFinal } from '../harness/fees.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import { type SolanaPayer, untilLanded } from '../harness/payers.ts';
import { signed, tokenFor } from '../harness/people.ts';
import { createMaker, type MadeToken, makeToken } from '../harness/tokens.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';

const EARNED_BEFORE = 40_000_000n;
const EARNED_AFTER = 100_000_000n;
const shareOf = (lamports: bigint): number => Number(splitCreatorFee(lamports, 'legacy').agent);

let market: TestMarket;
let admin: CallOptions;
before(async () => {
  market = await openMarket({ ...withChains, ADMIN_EMAILS: 'boss@example.com' });
  admin = { key: await tokenFor(market.url, { email: 'boss@example.com' }) };
});
after(() => market.close());

async function register(maker: SolanaPayer, { mint, token_name, token_symbol }: MadeToken): Promise<TestAgent> {
  const wallet = walletOf(maker);
  const agent = await registerOwnedAgent(market.url, wallet);
  const body = { token_mint: mint, token_name, token_symbol, token_mode: 'byot', token_creator_wallet: wallet.address };
  await new Promise((resolve) => setTimeout(resolve, 2));
  await expectCall(market.url, 200, `POST /api/agents/${agent.id}/token`, { body: { ...body, ...(await signed(wallet)) } });
  return agent;
}

/** Hands the mint authority to the buyer, which makes the token the buyer's. */
async function handOver(from: SolanaPayer, to: SolanaPayer, mint: string): Promise<void> {
  const step = {
    programAddress: TOKEN_PROGRAM,
    accounts: [
      { address: mint as Address, role: AccountRole.WRITABLE },
      { address: from.wallet.address, role: AccountRole.READONLY_SIGNER },
    ],
    data: Buffer.concat([Buffer.of(6, 0, 1), base58.decode(to.wallet.address)]),
  };
  await untilLanded(from.chain, await from.send([step], [from.wallet]), 'confirmed');
}

async function earn(maker: SolanaPayer, mint: string, lamports: bigint): Promise<void> {
  const reference = await payFee(maker, String(market.feeVault?.treasury), lamports, mint);
  await untilFinal(maker.chain, reference);
  await until('the receipt', async () => {
    await call(market.url, 'POST /api/fees/collect', admin);
    const sweeps = (await expectCall(market.url, 200, 'GET /api/fees/sweeps', admin)) as Envelope[];
    return sweeps.some(({ tx_hash }) => tx_hash === reference) ? true : undefined;
  });
}

const claimable = async ({ id, key }: TestAgent): Promise<number> =>
  Math.round((await expectCall(market.url, 200, `GET /api/agents/${id}/token/claim`, { key }))['claimableSol'] * 1e9);
const claim = ({ id, key }: TestAgent): Promise<Envelope> => expectCall(market.url, 200, `POST /api/agents/${id}/token/claim`, { key });
const openFees = async ({ id }: TestAgent): Promise<string[]> => {
  const open = await listOpenThings(market.database.db, { person: undefined, agents: [id as AgentId] });
  return open.filter(({ kind }) => kind === 'creator_fees').map(({ what }) => what);
};

test('Y09: an agent whose token was cleared claims none of its later fees, and keeps the earlier ones', async () => {
  const [seller, buyer] = [await createMaker(market), await createMaker(market)];
  // Lamports for the network fees of the payouts.
  await earn(seller, '11111111111111111111111111111111', 1_000_000n);
  const token = await makeToken(seller);
  const sold = await register(seller, token);
  await earn(seller, token.mint, EARNED_BEFORE);
  await handOver(seller, buyer, token.mint);
  await expectCall(market.url, 200, `DELETE /api/agents/${sold.id}/token`, admin);
  const bought = await register(buyer, token);
  await earn(buyer, token.mint, EARNED_AFTER);

  assert.deepEqual([await claimable(sold), await claimable(bought)], [shareOf(EARNED_BEFORE), shareOf(EARNED_AFTER)]);
  const payout = {
    agent_id: sold.id,
    token_mint: token.mint,
    recipient_wallet: seller.address,
    amount_lamports: shareOf(EARNED_BEFORE) + 1,
  };
  const refused = await call(market.url, 'POST /api/fees/payout', { ...admin, body: payout });
  assert.deepEqual([refused.status, refused.body['code']], [400, 'fee_share_too_small']);

  // Only an agent's own open share keeps it from closing.
  assert.deepEqual(await openFees(sold), [`${shareOf(EARNED_BEFORE)} lamports`]);
  assert.deepEqual(await openFees(bought), [`${shareOf(EARNED_AFTER)} lamports`]);
  const taken = await claim(sold);
  assert.deepEqual([taken['status'], taken['paidLamports']], ['pending', shareOf(EARNED_BEFORE)]);
  assert.equal((await claim(sold))['status'], 'skipped');
  const left = await claim(bought);
  assert.deepEqual([left['status'], left['paidLamports']], ['pending', shareOf(EARNED_AFTER)]);
  await until('the payouts', async () => {
    const all = (await expectCall(market.url, 200, 'GET /api/fees/payouts', admin)) as Envelope[];
    return all.every(({ status }) => status === 'paid') ? true : undefined;
  });
  assert.deepEqual([await openFees(sold), await openFees(bought)], [[], []]);
  assert.deepEqual((await findBroken(market.database)).broken, []);
});
