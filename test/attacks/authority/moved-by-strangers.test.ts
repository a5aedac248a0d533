/**
 * A wallet that signed a transaction chose everything in it. But money can also reach the treasury in a transaction of a stranger:
 * programs pay out of vaults for any caller, bridges mint for any bearer of the message, and anybody can send an authorisation (EIP-3009).
 * The stranger then chooses the memo and the other transfers of that transaction.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { MULTICALL3_ADDRESS } from '@market/sandbox/evm';
import type { Address } from '@solana/addresses';
import { type Hex, multicall3Abi, parseTransaction } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { createTokenAccount, transferUsdc, writeMemo } from '../../../packages/server/src/platform/chains/solana/instructions.ts';
import { deriveTokenAccount } from '../../../packages/server/src/platform/chains/solana/token-account.ts';
import { loadKeyFile } from '../../../packages/server/src/platform/secrets/key-file.ts';
import { authorize } from '../../../packages/server/testing/evm-test-chain.ts';
import { approve, recoverNested, transfer } from '../../../packages/server/testing/solana-test-instructions.ts';
import { countRows, outcomeOf, requireOutcomes } from '../../harness/authority.ts';
import { hireBare } from '../../harness/bare-transfers.ts';
import { payloadIn } from '../../harness/copied-payments.ts';
import { call } from '../../harness/http.ts';
import { hireWith, readOffer, versionTwo } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { act, listService, openProvider, payOrder, placeOrder, walletOf } from '../../harness/orders.ts';
import { createPayer, createSolanaWallet, type EvmPayer, type SolanaPayer, type SolanaWallet, untilLanded } from '../../harness/payers.ts';
import { asHeaders, signed, tokenFor } from '../../harness/people.ts';
import { USDC, until } from '../../money/money.ts';

const [SOLANA, BASE] = ['solana-mainnet', 'base-mainnet'] as const;

let market: TestMarket;
let dataDir: string;
let treasury: SolanaWallet;
let url: string;
/** A service that costs a machine 5.50, a person 5.00. */
let bait: string;
/** A service that costs a machine 99.00, a person 90.00. */
let costly: string;
/** A service that costs a person 99.00. */
let large: string;
before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'moved-by-strangers-'));
  market = await openMarket({ ...withOwnChains, DATA_DIR: dataDir });
  ({ url } = market);
  treasury = createSolanaWallet((await loadKeyFile(dataDir, 'treasury-solana')).toString('hex'));
  const thief = await openProvider(url);
  bait = await listService(url, thief, { price_usd: '5.00', title: 'Nothing at all' });
  costly = await listService(url, await openProvider(url), { price_usd: '90.00' });
  large = await listService(url, await openProvider(url), { price_usd: '99.00' });
});
after(async () => {
  await market.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function openSolana(): Promise<SolanaPayer> {
  const payer = await createPayer(market, SOLANA);
  assert.ok(payer.kind === 'solana');
  return payer;
}

async function openEvm(): Promise<EvmPayer> {
  const payer = await createPayer(market, BASE);
  assert.ok(payer.kind === 'evm');
  return payer;
}

async function surplusOf(address: string): Promise<bigint> {
  const { rows } = await market.database.pool.query<{ micros: string }>(
    `select coalesce(sum(balance_micros), 0) as micros from ledger_accounts where kind = 'surplus_payable' and owner = $1`,
    [address],
  );
  return BigInt(rows[0]?.micros ?? 0);
}

/**
 * On the local chain only the program of associated accounts pays out of a vault, and it needs the treasury's signature. Programs of
 * treasuries, streams and subscriptions pay a fixed receiver for any caller; here the treasury's signature stands for their rules.
 */
test('M06, V15: a memo of a stranger does not name the purchase of a vault that signed nothing', async () => {
  const [victim, thief] = [await openSolana(), await openSolana()];
  const mint = victim.chain.usdcAddress as Address;
  const tokenAccount = await deriveTokenAccount(treasury.address, mint);
  const vault = await deriveTokenAccount(tokenAccount, mint);
  const source = await deriveTokenAccount(victim.wallet.address, mint);
  await victim.pay(victim.chain.treasury, USDC);
  const filled = await victim.send(
    [
      createTokenAccount({ payer: victim.wallet.address, tokenAccount: vault, owner: tokenAccount, mint }),
      transferUsdc({ source, mint, destination: vault, owner: victim.wallet.address, micros: 5_500_000n }),
    ],
    [victim.wallet],
  );
  await untilLanded(victim.chain, filled, 'final');

  const brief = 'All of it for me.';
  const asked = await call(url, `POST /api/x402/pay?service_id=${bait}&chain=solana`, { body: { brief } });
  const { text } = asked.body['extra'].paymentReference;
  const release = recoverNested({ nested: vault, tokenAccount, mint, wallet: treasury.address });
  const reference = await thief.send([writeMemo(text), release], [thief.wallet, treasury]);
  await untilLanded(thief.chain, reference, 'final');

  const taken = await hireBare(url, bait, SOLANA, reference, brief);
  const { rows } = await market.database.pool.query('select payer, proof from payment_claims where reference = $1', [reference]);
  requireOutcomes({
    'whose money it was': [String(rows[0]?.['payer'] ?? tokenAccount), tokenAccount],
    // It may count as a bare transfer, but never as one that its payer named.
    'proof of the vault': [String(rows[0]?.['proof'] ?? 'none'), 'none', 'bare'],
    'paid to the thief at once': [taken.status === 200 && taken.body['data'].contestable_until === null, false],
  });
});

/** Like a bridge that mints for any bearer of the message, or a subscription that anybody may collect: no signer gave this money. */
test('M06, V15: money that no signer of the transaction gave is not owed to the wallet that paid beside it', async () => {
  const [victim, thief] = [await openSolana(), await openSolana()];
  const mint = victim.chain.usdcAddress as Address;
  const [source, own, ours] = await Promise.all(
    [victim.wallet.address, thief.wallet.address, treasury.address].map((owner) => deriveTokenAccount(owner, mint)),
  );
  assert.ok(source !== undefined && own !== undefined && ours !== undefined);
  const allowed = await victim.send([approve(source, thief.wallet.address, victim.wallet.address, 100n * USDC)], [victim.wallet]);
  await untilLanded(victim.chain, allowed, 'final');
  const buyer = walletOf(thief);
  const orderId = await placeOrder(url, bait, buyer);
  const both = [transfer(source, ours, thief.wallet.address, 100n * USDC), transfer(own, ours, thief.wallet.address, 5n * USDC)];
  const reference = await thief.send(both, [thief.wallet]);
  await untilLanded(thief.chain, reference, 'final');
  const paid = await act(url, orderId, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'solana' });
  requireOutcomes({
    'the thief pays his own order': [outcomeOf(paid), '200'],
    'owed to the thief': [await surplusOf(thief.address), 0n],
  });
});

/** The call data of a refund that the treasury signed and sent: nodes with a public queue have it before a block does. */
async function seenPayout(orderId: string): Promise<Hex> {
  const bytes = await until('the sent refund', async () => {
    const { rows } = await market.database.pool.query<{ signed_bytes: string }>(
      `select a.signed_bytes from outgoing_attempts a join payouts p on p.id = a.intent_id where p.subject_id = $1 and a.state in ('sent', 'unknown')`,
      [orderId],
    );
    return rows[0]?.signed_bytes;
  });
  const raw = (bytes.startsWith('0x') ? bytes : `0x${Buffer.from(bytes, 'base64').toString('hex')}`) as `0x02${string}`;
  return parseTransaction(raw).data ?? '0x';
}

test('M06, M18: a payment that a stranger sends together with our refund still counts for its payer', async () => {
  const [victim, thief] = [await openEvm(), await openEvm()];
  const offer = await readOffer(market, url, costly, BASE);
  const buyer = { ...walletOf(thief), payer: thief };
  const orderId = await placeOrder(url, large, buyer);
  await payOrder(url, orderId, buyer);
  await market.localChains?.setFault({ network: BASE, mode: 'drop_tx' });
  assert.equal((await act(url, orderId, buyer, 'cancel')).status, 200);
  const refund = await seenPayout(orderId);
  await market.localChains?.setFault({ network: BASE, mode: 'none' });

  const seen = await authorize(victim.wallet, victim.chain.treasury as Hex, 99n * USDC);
  const calls = [seen, refund].map((callData) => ({ target: thief.chain.usdcAddress as Hex, allowFailure: false, callData }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const reference = await thief.wallet.sendTransaction({ to: MULTICALL3_ADDRESS as Hex, data, gas: 1_000_000n });
  await thief.reader.waitForTransactionReceipt({ hash: reference });
  const { status } = await thief.reader.getTransactionReceipt({ hash: reference });
  assert.equal(status, 'success');
  await until('the refund', async () => {
    const { rows } = await market.database.pool.query(`select reference from payouts where subject_id = $1 and state = 'confirmed'`, [
      orderId,
    ]);
    return rows[0]?.['reference'] as string | undefined;
  });

  const headers = { ...versionTwo(offer, payloadIn(seen)), ...asHeaders(await signed(walletOf(victim))) };
  const bought = await hireWith(url, costly, headers, { brief: 'What I paid for.' });
  const key = await tokenFor(url, { email: 'operator-of-bundles@example.com', admin: true });
  const returned = await call(url, 'POST /api/admin/receipts/refund', { key, body: { network: BASE, reference } });
  requireOutcomes({
    'hire of the payer': [outcomeOf(bought), '200'],
    'receipts of the transfer': [await countRows(market, 'chain_receipts', 'reference', reference), 1],
    'the payer has the work, or an operator can return the money': [bought.status === 200 || returned.status === 200, true],
  });
});
