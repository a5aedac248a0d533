/** One transaction may hold payments of several wallets. The presenter of it gets only what it paid itself. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Hex, size } from 'viem';
import { concatHex, numberToHex, pad } from 'viem/utils';
import { authorize } from '../../../packages/server/testing/evm-test-chain.ts';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { hireBare } from '../../harness/bare-transfers.ts';
import { payloadIn } from '../../harness/copied-payments.ts';
import { hireWith, readOffer, versionTwo } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { act, listService, openProvider, placeOrder, requireSoundBooks, walletOf } from '../../harness/orders.ts';
import { createPayer, type EvmPayer, untilLanded } from '../../harness/payers.ts';
import { asHeaders, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const [VICTIMS, THIEFS, COSTLY] = [100_000_000n, 5_000_000n, 99_000_000n];

let market: TestMarket;
let url: string;
/** A service that costs a person 5.00. */
let bait: string;
/** A service that costs a machine 99.00. */
let costly: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  const provider = await openProvider(url);
  bait = await listService(url, provider, { price_usd: '5.00', title: 'Nothing at all' });
  costly = await listService(url, provider, { price_usd: '90.00', title: 'Still nothing' });
});
after(() => market.close());

/** Calls the contract in word 1 twice: with as many bytes as word 2 says, then with the rest. */
const TWO_CALLS = '60403603604060003760006000602035600060006000355af1506000600060203560403603036020356000600035' as const;
const RUNTIME = `${TWO_CALLS}5af15000`;

async function openEvm(): Promise<EvmPayer> {
  const payer = await createPayer(market, NETWORK);
  assert.ok(payer.kind === 'evm');
  return payer;
}

/** The thief sends the victim's authorisation, copied from the mempool, together with its own. */
async function bundled(victim: EvmPayer, thief: EvmPayer): Promise<string> {
  const [seen, own] = [await authorised(victim, VICTIMS), await authorised(thief, THIEFS)];
  return await sendBoth(thief, seen, own);
}

const authorised = ({ wallet, chain }: EvmPayer, micros: bigint): Promise<Hex> => authorize(wallet, chain.treasury as Hex, micros);

/** Sends one transaction with two calls of USDC. */
async function sendBoth({ wallet, reader, chain }: EvmPayer, first: Hex, second: Hex): Promise<string> {
  const length = numberToHex(RUNTIME.length / 2, { size: 1 }).slice(2);
  const deployed = await wallet.sendTransaction({ data: `0x60${length}600c60003960${length}6000f3${RUNTIME}`, gas: 300_000n });
  const { contractAddress: to } = await reader.waitForTransactionReceipt({ hash: deployed });
  assert.ok(to);
  const data = concatHex([pad(chain.usdcAddress as Hex), numberToHex(size(first), { size: 32 }), first, second]);
  const reference = await wallet.sendTransaction({ to, data, gas: 600_000n });
  await untilLanded(chain, reference, 'final');
  return reference;
}

async function surplusOf({ address }: EvmPayer): Promise<bigint> {
  const { rows } = await market.database.pool.query<{ micros: string }>(
    `select coalesce(sum(balance_micros), 0) as micros from ledger_accounts where kind = 'surplus_payable' and owner = $1`,
    [address],
  );
  return BigInt(rows[0]?.micros ?? 0);
}

test('M06, V15: payments of others in one transaction are owed to them, not to the presenter', async () => {
  const [victim, thief] = [await openEvm(), await openEvm()];
  const buyer = { ...walletOf(thief), payer: thief };
  const orderId = await placeOrder(url, bait, buyer);
  const reference = await bundled(victim, thief);
  const paid = await act(url, orderId, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' });
  requireOutcomes({
    'the thief pays his own order': [paid, '200'],
    'owed to the thief': [await surplusOf(thief), 0n],
    'owed to the victim': [await surplusOf(victim), VICTIMS],
  });
});

test('M06, V15: a transaction of several payers buys nothing without a proof', async () => {
  const [victim, thief] = [await openEvm(), await openEvm()];
  const reference = await bundled(victim, thief);
  const taken = await hireBare(url, costly, NETWORK, reference, 'All of it for me.');
  requireOutcomes({
    hire: [taken, '409 payment_reserved'],
    'transfers spent': [await countRows(market, 'payment_claims', 'reference', reference), 0],
  });
});

test('M06, V15: the payer of a copied authorisation in a bundle is its signer, not the wallet that paid first', async () => {
  const [victim, thief] = [await openEvm(), await openEvm()];
  const [own, seen] = [await authorised(thief, 10_000n), await authorised(victim, COSTLY)];
  const reference = await sendBoth(thief, own, seen);
  const payment = versionTwo(await readOffer(market, url, costly, NETWORK), payloadIn(seen));
  const hireAs = async (payer: EvmPayer, brief: string) =>
    await hireWith(url, costly, { ...payment, ...asHeaders(await signed(walletOf(payer))) }, { brief });
  const [taken, bought] = [await hireAs(thief, 'All of it for me.'), await hireAs(victim, 'What I wanted.')];
  requireOutcomes({
    'hire of the thief': [taken, '409 payment_reserved'],
    'hire of the payer': [bought, '200'],
    'transfers spent': [await countRows(market, 'payment_claims', 'reference', reference), 1],
    'owed to the thief': [await surplusOf(thief), 10_000n],
  });
});

test('the books are sound after bundled transfers', async () => {
  await requireSoundBooks(market);
});
