import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { LocalNetwork } from './local-network.ts';
import { openSandboxChains } from './open-chains.ts';
import { openReadyWallets, type ReadyWallet } from './ready-wallets.ts';

const PERMISSIONS = 0o777;

const NETWORKS: readonly LocalNetwork[] = [
  { network: 'base-mainnet', kind: 'evm', caip2: 'eip155:8453', folder: 'base', port: 0 },
  { network: 'alt-mainnet', kind: 'evm', caip2: 'eip155:845311453', folder: 'alt', port: 0 },
  { network: 'solana-mainnet', kind: 'solana', caip2: 'solana:local', folder: 'solana', port: 0 },
];

async function createFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ready-wallets-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** The address that a standard client derives from the imported key. */
async function importAddress({ chain, secretKey }: ReadyWallet): Promise<string> {
  if (chain === 'base') return privateKeyToAccount(secretKey as Hex).address.toLowerCase();
  return (await createKeyPairSignerFromBytes(getBase58Encoder().encode(secretKey))).address;
}

test('ready wallets are a buyer and a seller for Solana and for EVM, with keys that standard clients import', async (t) => {
  const wallets = await openReadyWallets(join(await createFolder(t), 'wallets.json'), NETWORKS);
  assert.deepEqual(
    wallets.map(({ name, chain, networks }) => [name, chain, ...networks]),
    [
      ['Solana buyer', 'solana', 'solana-mainnet'],
      ['Solana seller', 'solana', 'solana-mainnet'],
      ['Base buyer', 'base', 'base-mainnet', 'alt-mainnet'],
      ['Base seller', 'base', 'base-mainnet', 'alt-mainnet'],
    ],
  );
  for (const wallet of wallets) assert.equal(await importAddress(wallet), wallet.address);
});

test('keys of ready wallets are random per folder, stay the same, and only the file owner can read them', async (t) => {
  const [file, other] = [join(await createFolder(t), 'wallets.json'), join(await createFolder(t), 'wallets.json')];
  const wallets = await openReadyWallets(file, NETWORKS);
  assert.deepEqual(await openReadyWallets(file, NETWORKS), wallets);
  assert.equal((await stat(file)).mode & PERMISSIONS, 0o600);
  const all = [...wallets, ...(await openReadyWallets(other, NETWORKS))];
  assert.equal(new Set(all.map(({ address }) => address)).size, 8);
});

test('a ready wallet missing in the file is added, and the others stay', async (t) => {
  const file = join(await createFolder(t), 'wallets.json');
  const before = await openReadyWallets(file, NETWORKS);
  const { 'Base seller': _, ...kept } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify(kept));
  const after = await openReadyWallets(file, NETWORKS);
  assert.deepEqual(after.slice(0, 3), before.slice(0, 3));
  assert.notEqual(after[3]?.address, before[3]?.address);
  assert.deepEqual(await openReadyWallets(file, NETWORKS), after);
});

test('a damaged file of ready wallets is reported without its keys and not replaced', async (t) => {
  const file = join(await createFolder(t), 'wallets.json');
  await openReadyWallets(file, NETWORKS);
  const text = await readFile(file, 'utf8');
  const keys: Record<string, string> = JSON.parse(text);
  const swapped = `${keys['Solana buyer']?.slice(0, 20)}${keys['Solana seller']?.slice(20)}`;
  const damages = [
    text.slice(0, -20),
    'null',
    JSON.stringify({ ...keys, 'Base buyer': 7 }),
    JSON.stringify({ ...keys, 'Base buyer': '0x12' }),
    JSON.stringify({ ...keys, 'Solana buyer': swapped }),
  ];
  for (const damage of damages) {
    await writeFile(file, damage);
    const message = `${file} does not hold the keys of the ready wallets. Restore it, or remove it to get new wallets.`;
    await assert.rejects(openReadyWallets(file, NETWORKS), { message });
    assert.equal(await readFile(file, 'utf8'), damage);
  }
});

test('processes that share local chains get one set of ready wallets, funded once', async (t) => {
  const folder = await createFolder(t);
  const options = { folder, networks: NETWORKS, fast: true, log: () => undefined };
  const owner = await openSandboxChains(options);
  t.after(() => owner.close());
  const guest = await openSandboxChains(options);
  assert.equal(owner.wallets.length, 4);
  assert.deepEqual(guest.wallets, owner.wallets);
  for (const name of ['wallets.json', 'running.json']) assert.equal((await stat(join(folder, name))).mode & PERMISSIONS, 0o600);

  await Promise.all([owner, guest, owner, guest].map((chains) => chains.fundWallets()));
  await guest.fundWallets();
  const [base] = owner.networks;
  const ask = async (method: string, params: unknown[]): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(String(base?.rpcUrl), { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.json()) as { result: string }).result;
  };
  for (const { address } of owner.wallets.filter(({ chain }) => chain === 'base')) {
    const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
    assert.equal(BigInt(await ask('eth_call', [{ to: base?.usdcAddress, data }, 'latest'])), 1_000_000_000n);
    assert.equal(BigInt(await ask('eth_getBalance', [address, 'latest'])), 10n ** 19n);
  }
});
