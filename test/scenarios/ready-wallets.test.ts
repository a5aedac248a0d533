/** A newcomer starts the sandbox, takes a wallet from its description, and pays. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { openPayer } from '../harness/payers.ts';
import { chainOf, openMoney, present, requestFor, USDC, until } from '../money/money.ts';

interface Wallet {
  readonly name: string;
  readonly chain: 'solana' | 'base';
  readonly address: string;
  readonly secret_key: string;
  readonly networks: readonly NetworkName[];
}

interface Network {
  readonly network: NetworkName;
  readonly rpc_url: string;
  readonly usdc_address: string;
}

const FIRST_USDC = 1_000n * USDC;
const FIRST_NATIVE = { solana: 10n ** 10n, base: 10n ** 19n };

let dataDir: string;
let market: TestMarket;
let wallets: readonly Wallet[];

const openHere = () => openMarket({ ...withOwnChains, DATA_DIR: dataDir });

before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  market = await openHere();
  wallets = (await readInfo(market)).wallets;
});
after(async () => {
  await market?.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function readInfo({ url }: TestMarket): Promise<{ wallets: readonly Wallet[]; networks: readonly Network[] }> {
  return (await expectCall(url, 200, 'GET /sandbox/info')) as { wallets: readonly Wallet[]; networks: readonly Network[] };
}

/** Each wallet on each network where the description says it is funded. */
const places = (): { wallet: Wallet; network: NetworkName }[] =>
  wallets.flatMap((wallet) => wallet.networks.map((network) => ({ wallet, network })));

async function askNode<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await response.json()) as { result: T }).result;
}

/** Reads balances by plain JSON-RPC, as any wallet does. */
async function readCoins({ wallet, network }: { wallet: Wallet; network: NetworkName }): Promise<{ usdc: bigint; native: bigint }> {
  const { rpc_url: url, usdc_address: token } = (await readInfo(market)).networks.find((known) => known.network === network) as Network;
  if (wallet.chain === 'base') {
    const data = `0x70a08231${wallet.address.slice(2).padStart(64, '0')}`;
    const usdc = BigInt(await askNode<string>(url, 'eth_call', [{ to: token, data }, 'latest']));
    return { usdc, native: BigInt(await askNode<string>(url, 'eth_getBalance', [wallet.address, 'latest'])) };
  }
  const { value: lamports } = await askNode<{ value: number }>(url, 'getBalance', [wallet.address]);
  const { value: accounts } = await askNode<{ value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[] }>(
    url,
    'getTokenAccountsByOwner',
    [wallet.address, { mint: token }, { encoding: 'jsonParsed' }],
  );
  return { usdc: BigInt(accounts[0]?.account.data.parsed.info.tokenAmount.amount ?? 0), native: BigInt(lamports) };
}

const readAllCoins = async () => await Promise.all(places().map(readCoins));

test('the sandbox describes a buyer and a seller for Solana and for Base', () => {
  assert.deepEqual(
    wallets.map(({ name, chain, networks }) => [name, chain, ...networks]),
    [
      ['Solana buyer', 'solana', 'solana-mainnet'],
      ['Solana seller', 'solana', 'solana-mainnet'],
      ['Base buyer', 'base', 'base-mainnet', 'alt-mainnet'],
      ['Base seller', 'base', 'base-mainnet', 'alt-mainnet'],
    ],
  );
});

test('each ready wallet has 1,000 USDC and ten native coins on each of its networks', async () => {
  for (const place of places()) {
    const coins = await until(`coins for ${place.wallet.name} on ${place.network}`, async () => {
      const found = await readCoins(place);
      return found.usdc > 0n && found.native > 0n ? found : undefined;
    });
    assert.deepEqual(coins, { usdc: FIRST_USDC, native: FIRST_NATIVE[place.wallet.chain] });
  }
});

test('each ready wallet signs a USDC payment that the market accepts', async () => {
  const money = await openMoney(market);
  try {
    for (const { wallet, network } of places()) {
      const payer = openPayer(market, network, wallet.secret_key);
      assert.equal(payer.address, wallet.address);
      const reference = await payer.pay(chainOf(money, network).treasury, 5n * USDC);
      assert.equal(await present(money, requestFor(money, network, reference, { payers: [wallet.address] })), 'granted');
    }
  } finally {
    money.clock.stop();
  }
});

test('a second server on the same folder describes the same wallets and funds nothing', async () => {
  const coins = await readAllCoins();
  assert.ok(coins.every(({ usdc }) => usdc === FIRST_USDC - 5n * USDC));
  const second = await openHere();
  try {
    assert.deepEqual((await readInfo(second)).wallets, wallets);
    await second.localChains?.fundWallets();
    assert.deepEqual(await readAllCoins(), coins);
  } finally {
    await second.close();
  }
});

test('a restart keeps keys and coins, and adds no funds', async () => {
  const coins = await readAllCoins();
  await market.close();
  market = await openHere();
  assert.deepEqual((await readInfo(market)).wallets, wallets);
  await market.localChains?.fundWallets();
  assert.deepEqual(await readAllCoins(), coins);
});

test('a sandbox without chains has no wallets', async () => {
  const bare = await openMarket();
  try {
    assert.deepEqual((await readInfo(bare)).wallets, []);
  } finally {
    await bare.close();
  }
});
