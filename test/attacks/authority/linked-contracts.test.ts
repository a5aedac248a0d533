/** A contract wallet has one address on every network and may have another holder on each. A link proves it on Base only. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { sandboxSmartWallet } from '@market/sandbox/evm';
import { erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, encodeFunctionData, getAddress } from 'viem/utils';
import { countRows, openAccount, requireOutcomes } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
import { hireWith, requireHired, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openProvider } from '../../harness/orders.ts';
import { type EvmPayer, openPayer, untilLanded } from '../../harness/payers.ts';
import { asHeaders, linkWallet, signed, type TestWallet } from '../../harness/people.ts';

const HOME = 'base-mainnet';
const AWAY = 'alt-mainnet';

let market: TestMarket;
let url: string;
/** The thief's service; it costs a machine 5.50. */
let bait: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
});
after(() => market.close());

async function openFunded(network: NetworkName, secretKey: Hex): Promise<EvmPayer> {
  const payer = openPayer(market, network, secretKey);
  assert.ok(payer.kind === 'evm');
  await market.localChains?.fund({ network, address: payer.address, usdcMicros: 0n, native: 10n ** 19n });
  while ((await payer.chain.readBalances(payer.address)).native === 0n) await new Promise((resolve) => setTimeout(resolve, 50));
  return payer;
}

/** Deploys the first contract of a key, which gets the same address on every network, with any owner. */
async function deployFirst(network: NetworkName, key: Hex, owner: Hex): Promise<Hex> {
  const { wallet, reader } = await openFunded(network, key);
  const { abi, creationCode: bytecode } = sandboxSmartWallet;
  const hash = await wallet.sendTransaction({ data: encodeDeployData({ abi, bytecode, args: [owner] }), gas: 5_000_000n });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  assert.ok(typeof contractAddress === 'string');
  return getAddress(contractAddress);
}

interface Contract extends TestWallet {
  readonly key: Hex;
}

/** Two contracts at one address: the thief's on Base, the victim's on the other network. */
async function openTwins(): Promise<{ readonly thief: Contract; readonly victim: Contract }> {
  const deployer = generatePrivateKey();
  const [thief, victim] = [generatePrivateKey(), generatePrivateKey()];
  const address = await deployFirst(HOME, deployer, privateKeyToAccount(thief).address);
  assert.equal(await deployFirst(AWAY, deployer, privateKeyToAccount(victim).address), address);
  const wallet = (key: Hex): Contract => ({
    chain: 'base',
    address,
    key,
    sign: (message) => privateKeyToAccount(key).signMessage({ message }),
  });
  return { thief: wallet(thief), victim: wallet(victim) };
}

async function payFrom({ address, key }: Contract, network: NetworkName, micros: bigint): Promise<string> {
  const owner = await openFunded(network, key);
  const { chain } = owner;
  await market.localChains?.fund({ network, address, usdcMicros: micros, native: 0n });
  while ((await chain.readBalances(address)).usdcMicros < micros) await new Promise((resolve) => setTimeout(resolve, 50));
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [chain.treasury as Hex, micros] });
  const data = encodeFunctionData({
    abi: sandboxSmartWallet.abi,
    functionName: 'execute',
    args: [chain.usdcAddress as Hex, 0n, transfer],
  });
  const hash = await owner.wallet.sendTransaction({ to: address as Hex, data, gas: 300_000n });
  await untilLanded(chain, hash, 'final');
  return hash;
}

const PRICE = 5_500_000n;
const spent = (reference: string) => countRows(market, 'payment_claims', 'reference', reference);

test('V04: a contract linked on Base spends and reads nothing of the contract at its address on another network', async () => {
  const { thief, victim } = await openTwins();
  const account = await openAccount(url);
  await linkWallet(url, account.token, thief);
  const hired = await payFrom(victim, AWAY, PRICE);
  const mine = asHeaders(await signed(victim));
  const { orderId } = await requireHired(hireWith(url, bait, { ...transferProof(AWAY, hired), ...mine }));
  const stolen = await payFrom(victim, AWAY, PRICE);
  const headers = { authorization: `Bearer ${account.token}` };
  const taken = await hireWith(url, bait, { ...transferProof(AWAY, stolen), ...headers }, { brief: 'All of it for me.' });
  requireOutcomes({
    hire: [taken, '409 payment_reserved'],
    'transfers spent': [await spent(stolen), 0],
    order: [await call(url, `GET /api/orders/${orderId}`, { headers }), '403 not_your_order'],
    cancel: [await call(url, `PATCH /api/orders/${orderId}`, { headers, body: { action: 'cancel' } }), '403 not_your_order'],
  });
});

test('V04: the linked account still pays from its contract on Base', async () => {
  const { thief: owner } = await openTwins();
  const account = await openAccount(url);
  await linkWallet(url, account.token, owner);
  const reference = await payFrom(owner, HOME, PRICE);
  const headers = { authorization: `Bearer ${account.token}` };
  const { orderId } = await requireHired(hireWith(url, bait, { ...transferProof(HOME, reference), ...headers }));
  requireOutcomes({ order: [await call(url, `GET /api/orders/${orderId}`, { headers }), '200'] });
});
