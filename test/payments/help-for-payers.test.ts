/** Payment help for wallets, on both kinds of chain: balances, the prepared transaction, and its progress. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { requireAgreed } from '../../packages/web/src/wallets/check-payment.ts';
import type { TestKey } from '../../packages/web/src/wallets/test-key.ts';
import { openEvmKey } from '../../packages/web/src/wallets/test-key-evm.ts';
import { openSolanaKey } from '../../packages/web/src/wallets/test-key-solana.ts';
import type { PayableNetwork, PreparedPayment } from '../../packages/web/src/wallets/wallet-session.ts';
import { asQuery, call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { createPayer, untilLanded } from '../harness/payers.ts';

const AMOUNT = '12.50';
const kinds = ['base-mainnet', 'solana-mainnet'] as const;

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
});
after(() => market.close());

function newKey(network: NetworkName): TestKey {
  return networkFacts[network].kind === 'evm' ? openEvmKey(randomBytes(32)) : openSolanaKey(randomBytes(32));
}

async function prepare(network: NetworkName, payer: string, amount_usd = AMOUNT): Promise<PreparedPayment> {
  return (await expectCall(market.url, 200, `GET /api/payments/prepare${asQuery({ network, payer, amount_usd })}`)) as PreparedPayment;
}

async function networkOf(name: NetworkName): Promise<PayableNetwork> {
  const networks = (await expectCall(market.url, 200, 'GET /api/payments/networks')) as PayableNetwork[];
  const found = networks.find(({ network }) => network === name);
  assert.ok(found, name);
  return found;
}

/** The terms as an order states them. */
async function agreedOn(network: NetworkName) {
  const { pay_to, usdc_address } = await networkOf(network);
  return { network, pay_to, usdc_address, amount_micros: '12500000' };
}

async function fund(network: NetworkName, address: string, usdc = '20'): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/faucet', { body: { network, address, usdc, native: '1' } });
}

const handIn = (network: NetworkName, signed_transaction: string) =>
  call(market.url, 'POST /api/payments/hand-in', { body: { network, signed_transaction } });

for (const network of kinds) {
  test(`on ${network} the answer names the amount a wallet is missing, and zero for a funded wallet`, async () => {
    const key = newKey(network);
    const empty = await prepare(network, key.address);
    assert.deepEqual([empty.usdc_balance, empty.missing_usd], ['0.00', AMOUNT]);
    assert.ok(BigInt(empty.missing_native) > 0n && BigInt(empty.fee_native) > 0n);
    await fund(network, key.address);
    const full = await prepare(network, key.address);
    assert.deepEqual([full.usdc_balance, full.missing_usd, full.missing_native], ['20.00', '0.00', '0']);
  });

  test(`on ${network} the prepared transaction matches the terms, lands when signed, and can be tracked`, async () => {
    const key = newKey(network);
    await fund(network, key.address);
    const prepared = await prepare(network, key.address);
    requireAgreed(prepared, await agreedOn(network), await networkOf(network), key.address);
    const { reference, signed } = await key.signPayment(prepared);
    const before = await expectCall(market.url, 200, `GET /api/payments/${network}/${reference}`);
    assert.deepEqual([before['state'], before['confirmations']], ['missing', 0]);
    const answer = await handIn(network, signed);
    assert.deepEqual(answer.body['data'], { network, reference }, JSON.stringify(answer.body));
    assert.equal((await handIn(network, signed)).status, 200, 'the same bytes again change nothing');
    const chain = market.chains.get(network);
    assert.ok(chain);
    await untilLanded(chain, reference, 'confirmed');
    const landed = await expectCall(market.url, 200, `GET /api/payments/${network}/${reference}`);
    assert.deepEqual(
      [landed['state'], landed['received_usd'], landed['confirmations'] >= landed['confirmations_required']],
      ['landed', AMOUNT, true],
    );
    assert.equal((await prepare(network, key.address)).usdc_balance, '7.50');
  });

  test(`on ${network} a transaction with any other receiver, token, amount, payer or chain is not signed`, async () => {
    const key = newKey(network);
    const prepared = await prepare(network, key.address);
    const agreed = await agreedOn(network);
    const facts = await networkOf(network);
    const stranger = newKey(network).address;
    const refuse = (what: RegExp, bent: Partial<typeof agreed>, payer = key.address, of = facts): void =>
      assert.throws(() => requireAgreed(prepared, { ...agreed, ...bent }, of, payer), what);
    refuse(/another receiver/, { pay_to: stranger });
    refuse(/another token/, { usdc_address: stranger });
    refuse(/another amount/, { amount_micros: '12500001' });
    refuse(/another payer/, {}, stranger);
    refuse(/another network/, { network: 'alt-mainnet' });
    if (facts.kind === 'evm') refuse(/another chain/, {}, key.address, { ...facts, chain_id: 1 });
  });

  test(`on ${network} only payments to the marketplace are broadcast`, async () => {
    const payer = await createPayer(market, network, 1_000_000n);
    const key = newKey(network);
    const { signed } = await key.signPayment(await prepare(network, key.address));
    const garbage = network === 'solana-mainnet' ? ['AAAA', '!!', signed.slice(4)] : ['0x02', 'hello', '0xzz', signed.slice(0, -2)];
    for (const bytes of garbage) {
      const reply = await handIn(network, bytes);
      assert.deepEqual([reply.status, reply.body['code']], [400, 'payment_not_passed_on'], bytes);
    }
    const elsewhere = await signElsewhere(network, payer.address);
    assert.equal((await handIn(network, elsewhere)).body['code'], 'payment_not_passed_on');
  });
}

/** A valid transaction whose receiver was changed before signing. */
async function signElsewhere(network: NetworkName, stranger: string): Promise<string> {
  const key = newKey(network);
  const prepared = await prepare(network, key.address);
  const { transaction } = prepared;
  if (transaction.kind === 'evm') {
    const data = transaction.data.slice(0, 34) + stranger.slice(2).toLowerCase() + transaction.data.slice(74);
    return (await key.signPayment({ ...prepared, transaction: { ...transaction, data } })).signed;
  }
  const bytes = Buffer.from(transaction.transaction, 'base64');
  // The message names the treasury's token account once; this puts another account in its place.
  const { treasuryAccount } = { treasuryAccount: bytes.indexOf(await treasuryAccountBytes()) };
  assert.ok(treasuryAccount > 0);
  randomBytes(32).copy(bytes, treasuryAccount);
  return (await key.signPayment({ ...prepared, transaction: { ...transaction, transaction: bytes.toString('base64') } })).signed;
}

async function treasuryAccountBytes(): Promise<Buffer> {
  const { deriveTokenAccount } = await import('../../packages/server/src/platform/chains/solana/token-account.ts');
  const { base58 } = await import('@scure/base');
  const { pay_to, usdc_address } = await networkOf('solana-mainnet');
  type Address = Parameters<typeof deriveTokenAccount>[0];
  return Buffer.from(base58.decode(await deriveTokenAccount(pay_to as Address, usdc_address as Address)));
}

test('invalid payment help requests are refused with a code, and a chain that is down is 503', async () => {
  const payer = newKey('base-mainnet').address;
  const solana = newKey('solana-mainnet').address;
  const refusals: [string, number, string][] = [
    [`GET /api/payments/prepare${asQuery({ network: 'base-mainnet', payer: solana, amount_usd: '1' })}`, 400, 'invalid_input'],
    [`GET /api/payments/prepare${asQuery({ network: 'base-mainnet', payer, amount_usd: '0' })}`, 400, 'invalid_input'],
    [`GET /api/payments/prepare${asQuery({ network: 'base-mainnet', payer, amount_usd: '1e3' })}`, 400, 'invalid_input'],
    [`GET /api/payments/prepare${asQuery({ network: 'other', payer, amount_usd: '1' })}`, 400, 'invalid_input'],
    ['GET /api/payments/base-mainnet/hello', 400, 'invalid_payment_reference'],
  ];
  for (const [route, status, code] of refusals) {
    const reply = await call(market.url, route as 'GET /');
    assert.deepEqual([reply.status, reply.body['code']], [status, code], route);
  }
  await expectCall(market.url, 200, 'POST /sandbox/fault', { body: { target: 'alt', mode: 'down', seconds: 60 } });
  const down = await call(market.url, `GET /api/payments/prepare${asQuery({ network: 'alt-mainnet', payer, amount_usd: '1' })}`);
  assert.deepEqual([down.status, down.body['code']], [503, 'chain_unavailable']);
});
