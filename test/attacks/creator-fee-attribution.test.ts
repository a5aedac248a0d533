/** To which token SOL in the fee vault belongs: the instructions decide, not the mints that a transaction happens to name. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { splitCreatorFee } from '@market/contract';
import type { Address } from '@solana/addresses';
import { AccountRole, type Instruction } from '@solana/instructions';
import { transferSol, writeMemo } from '../../packages/server/src/platform/chains/solana/instructions.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { untilFinal } from '../harness/fees.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import type { SolanaPayer } from '../harness/payers.ts';
import { signed, tokenFor } from '../harness/people.ts';
import { createMaker, makeToken } from '../harness/tokens.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';

interface Earner extends TestAgent {
  readonly maker: SolanaPayer;
  readonly mint: string;
}

let market: TestMarket;
let admin: CallOptions;
let [victim, rival]: Earner[] = [];
before(async () => {
  market = await openMarket({ ...withChains, ADMIN_EMAILS: 'boss@example.com' });
  admin = { key: await tokenFor(market.url, { email: 'boss@example.com' }) };
  [victim, rival] = [await openEarner(), await openEarner()];
});
after(() => market.close());

async function openEarner(): Promise<Earner> {
  const maker = await createMaker(market);
  const wallet = walletOf(maker);
  const agent = await registerOwnedAgent(market.url, wallet);
  const { mint, token_name, token_symbol } = await makeToken(maker);
  const body = { token_mint: mint, token_name, token_symbol, token_mode: 'byot', token_creator_wallet: wallet.address };
  await new Promise((resolve) => setTimeout(resolve, 2));
  await expectCall(market.url, 200, `POST /api/agents/${agent.id}/token`, { body: { ...body, ...(await signed(wallet)) } });
  return { ...agent, maker, mint };
}

const pay = ({ wallet }: SolanaPayer, lamports: bigint): Instruction =>
  transferSol(wallet.address, String(market.feeVault?.treasury) as Address, lamports);
const naming = (step: Instruction, ...mints: readonly string[]): Instruction => ({
  ...step,
  accounts: [...(step.accounts ?? []), ...mints.map((mint) => ({ address: mint as Address, role: AccountRole.READONLY }))],
});
const declare = (mint: string): Instruction => writeMemo(`market-creator-fee:${mint}`);

/** How the books divide a transaction: token and lamports of each part. */
async function book(sender: SolanaPayer, steps: readonly Instruction[], others: readonly SolanaPayer[] = []) {
  const reference = await sender.send([...steps], [sender.wallet, ...others.map(({ wallet }) => wallet)]);
  await untilFinal(sender.chain, reference);
  const parts = await until('the receipt', async () => {
    await call(market.url, 'POST /api/fees/collect', admin);
    const sweeps = (await expectCall(market.url, 200, 'GET /api/fees/sweeps', admin)) as Envelope[];
    const own = sweeps.filter(({ tx_hash }) => tx_hash === reference);
    return own.length > 0 ? own : undefined;
  });
  return { reference, parts: parts.map(({ token_mint, amount_lamports }) => [token_mint, amount_lamports]) };
}

test('Y09: a payment that names a mint among its accounts is no creator fee of that token', async () => {
  assert.ok(victim && rival);
  const stranger = await createMaker(market);
  for (const [payer, mint] of [
    [stranger, victim.mint],
    [rival.maker, rival.mint],
  ] as const)
    assert.deepEqual((await book(payer, [naming(pay(payer, 2_000_000n), mint)])).parts, [[null, 2_000_000]]);
});

test('Y09: a memo names the token only behind a transfer by the wallet that created it', async () => {
  assert.ok(victim && rival);
  const { maker } = rival;
  const paid = pay(maker, 3_000_000n);
  for (const steps of [
    [paid, declare(victim.mint)],
    [declare(rival.mint), paid],
    [paid, writeMemo('something else'), declare(rival.mint)],
    [paid, writeMemo(`market-creator-fee:${rival.mint} and more`)],
  ])
    assert.deepEqual((await book(maker, steps)).parts, [[null, 3_000_000]]);
  assert.deepEqual((await book(maker, [paid, declare(rival.mint)])).parts, [[rival.mint, 3_000_000]]);
});

test('Y09: instructions that strangers add take nothing from a transaction’s token; an unnamed rest is float that an operator assigns', async () => {
  assert.ok(victim && rival);
  const { maker } = victim;
  const steps = [naming(pay(maker, 5_000_001n), rival.mint), declare(victim.mint), pay(rival.maker, 1_000_000n), declare(rival.mint)];
  const both = await book(maker, steps, [rival.maker]);
  const sorted = (parts: unknown[][]) => parts.map((part) => part.join(' ')).sort();
  assert.deepEqual(
    sorted(both.parts),
    sorted([
      [victim.mint, 5_000_001],
      [rival.mint, 1_000_000],
    ]),
  );
  const { reference, parts } = await book(
    maker,
    [pay(maker, 4_000_000n), declare(victim.mint), pay(rival.maker, 1_500_000n)],
    [rival.maker],
  );
  assert.deepEqual(
    sorted(parts),
    sorted([
      [victim.mint, 4_000_000],
      [null, 1_500_000],
    ]),
  );
  const history = await expectCall(market.url, 200, 'GET /api/fees/history?limit=1000', admin);
  const lines = (history['lines'] as Envelope[]).filter(({ tx_hash }) => tx_hash === reference);
  assert.equal(new Set(lines.map(({ id }) => id)).size, 2);
  const body = { tx_hash: reference, token_mint: rival.mint };
  assert.equal((await expectCall(market.url, 200, 'POST /api/fees/assign', { ...admin, body }))['amount_lamports'], 1_500_000);
  assert.equal((await call(market.url, 'POST /api/fees/assign', { ...admin, body })).body['code'], 'fee_receipt_assigned');
  const { per_token_fees: fees } = await expectCall(market.url, 200, 'GET /api/fees/balance', admin);
  const owed = fees.find(({ mint }: Envelope) => mint === victim?.mint)?.distributableFeesLamports;
  assert.equal(owed, Number(splitCreatorFee(5_000_001n, 'legacy').agent + splitCreatorFee(4_000_000n, 'legacy').agent));
  assert.deepEqual((await findBroken(market.database)).broken, []);
});

test('the owner of a token reads where fees go and which memo names the token', async () => {
  assert.ok(victim);
  const read = await expectCall(market.url, 200, `GET /api/agents/${victim.id}/token/claim`, { key: victim.key });
  assert.deepEqual([read['feeVault'], read['feeMemo']], [market.feeVault?.treasury, `market-creator-fee:${victim.mint}`]);
});
