/**
 * A contract wallet has one address on every network, and may have another holder on each. Its registration on one network is its
 * holder's there.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { sandboxSmartWallet } from '@market/sandbox/evm';
import { erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, encodeFunctionData, getAddress } from 'viem/utils';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
import { transferProof } from '../../harness/machine-buyers.ts';
import { REGISTRATION_MICROS, registerWith, requireRegistered } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { type EvmPayer, openPayer, untilLanded } from '../../harness/payers.ts';
import { agentBody, asHeaders, signed, type TestWallet } from '../../harness/people.ts';

const HOME = 'base-mainnet';
const AWAY = 'alt-mainnet';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
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

test('V04: a contract wallet registers nothing by payment on a network where its address may have another holder on Base', async () => {
  const { thief, victim } = await openTwins();
  const paid = await payFrom(victim, AWAY, REGISTRATION_MICROS);
  const body = agentBody();
  for (const signature of [{}, asHeaders(await signed(victim))]) {
    const refused = await registerWith(url, { ...transferProof(AWAY, paid), ...signature }, body);
    assert.deepEqual([refused.status, refused.body['code']], [403, 'payment_wrong_payer'], JSON.stringify(refused.body));
    assert.match(refused.body['error'], /contract wallet on Alt.*Pay on Base.*Nothing was used up/);
  }
  const recovered = await call(url, 'POST /api/agents/recover', { body: await signed(thief) });
  requireOutcomes({
    'agents of that name': [await countRows(market, 'agents', 'name', body.name), 0],
    'transfers spent': [await countRows(market, 'payment_claims', 'reference', paid), 0],
    'what the twin on Base recovers': [recovered, '404 no_agents_found'],
  });
});

test('V04: a key wallet registers on another network, and the same key is the owner on Base', async () => {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  const { chain, pay } = await openFunded(AWAY, key);
  await market.localChains?.fund({ network: AWAY, address, usdcMicros: REGISTRATION_MICROS, native: 0n });
  while ((await chain.readBalances(address)).usdcMicros < REGISTRATION_MICROS) await new Promise((resolve) => setTimeout(resolve, 50));
  const payment = transferProof(AWAY, await pay(chain.treasury, REGISTRATION_MICROS));
  const agent = await requireRegistered(registerWith(url, payment, agentBody()));
  const wallet: TestWallet = { chain: 'base', address, sign: (message) => privateKeyToAccount(key).signMessage({ message }) };
  const recovered = await call(url, 'POST /api/agents/recover', { body: await signed(wallet) });
  assert.equal(recovered.body['data']?.agents[0]?.agent_id, agent['agent_id'], JSON.stringify(recovered.body));
  assert.match(agent['agent_id'], /^ext_/);
});
