/**
 * A contract wallet has one address on every network, and may have another holder on each. What was bought
 * on one network belongs to its holder there.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { sandboxSmartWallet } from '@market/sandbox/evm';
import { erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, encodeFunctionData, getAddress } from 'viem/utils';
import { requireOutcomes } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
import { hireWith, requireHired, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { deliver, listService, openProvider, type Provider } from '../../harness/orders.ts';
import { type EvmPayer, openPayer, untilLanded } from '../../harness/payers.ts';
import { asHeaders, signed, signedFor, type TestWallet } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

const HOME = 'base-mainnet';
const AWAY = 'alt-mainnet';
const BRIEF = 'The merger of Quistgaard and Sons, in confidence.';
const ANSWER = 'Quistgaard should not sell below nine million.';

let market: TestMarket;
let url: string;
let provider: Provider;
let service: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  provider = await openProvider(url);
  service = await listService(url, provider, { price_usd: '5.00' });
});
after(() => market.close());

async function openFunded(network: NetworkName, secretKey: Hex): Promise<EvmPayer> {
  const payer = openPayer(market, network, secretKey);
  assert.ok(payer.kind === 'evm');
  await market.localChains?.fund({ network, address: payer.address, usdcMicros: 0n, native: 10n ** 19n });
  while ((await payer.chain.readBalances(payer.address)).native === 0n) await new Promise((resolve) => setTimeout(resolve, 50));
  return payer;
}

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
  const data = encodeFunctionData({ abi: sandboxSmartWallet.abi, functionName: 'execute', args: [chain.usdcAddress as Hex, 0n, transfer] });
  const hash = await owner.wallet.sendTransaction({ to: address as Hex, data, gas: 300_000n });
  await untilLanded(chain, hash, 'final');
  return hash;
}

test('V04, Y10: the holder of an address on Base reads and erases nothing that the holder on another network bought', async () => {
  const { thief, victim } = await openTwins();
  const hired = await payFrom(victim, AWAY, 5_500_000n);
  const mine = asHeaders(await signed(victim));
  const hire = await hireWith(url, service, { ...transferProof(AWAY, hired), ...mine }, { brief: BRIEF });
  const { orderId } = await requireHired(Promise.resolve(hire));
  await call(url, `POST /api/orders/${orderId}/messages`, { headers: provider.headers, body: { content: ANSWER } });
  const delivered = await deliver(url, orderId, provider, { deliverable_url: 'https://example.org/quistgaard.pdf' });
  assert.equal(delivered.status, 200, JSON.stringify(delivered.body));
  const approved = await call(url, `PATCH /api/orders/${orderId}`, {
    headers: asHeaders(await signed(victim)),
    body: { action: 'approve' },
  });
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  await until('the payout is final', async () => {
    const { rows } = await market.database.pool.query(`select 1 from payouts where subject_id = $1 and state <> 'confirmed'`, [orderId]);
    return rows.length === 0 ? true : undefined;
  });

  const reads = async (path: string) => {
    const reply = await call(url, `GET ${path}` as `GET /${string}`, { headers: asHeaders(await signed(thief)) });
    const text = JSON.stringify(reply.body);
    return text.includes('uistgaard');
  };
  const outcomes = {
    order: [await reads(`/api/orders/${orderId}`), false],
    list: [await reads('/api/orders'), false],
    events: [await reads('/api/events?limit=100'), false],
    notifications: [await reads('/api/notifications'), false],
    'export of messages': [await reads('/api/account/export?section=messages'), false],
    'export of orders': [await reads('/api/account/export?section=orders_bought'), false],
    'export of deliveries': [await reads('/api/account/export?section=deliverables'), false],
  } as Record<string, [boolean, boolean]>;
  const token = hire.body['data']?.buyer_token ?? hire.body['buyer_token'];
  const closed = await call(url, 'POST /api/account/close', {
    body: await signedFor(url, thief, { method: 'POST', path: '/api/account/close', body: {} }),
  });
  const later = await call(url, `GET /api/orders/${orderId}`, { headers: asHeaders(await signed(victim)) });
  const byToken = await call(url, `GET /api/orders/${orderId}`, { key: String(token) });
  requireOutcomes({
    ...outcomes,
    'the thief’s closing': [closed.body['data']?.status ?? closed.body['code'], 'closed'],
    'the victim still reads its brief': [JSON.stringify(later.body).includes(BRIEF), true],
    'the victim’s token still works': [byToken, '200'],
  });
});
