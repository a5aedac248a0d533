/** Proofs work only for what they name: sign-ins and action messages copied from an address, re-encoded, or sent with further fields. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { sandboxSmartWallet } from '@market/sandbox/evm';
import { concatHex, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeAbiParameters, encodeDeployData, getAddress, parseAbiParameters } from 'viem/utils';
import { signInText } from '../../../packages/server/src/access/sign-in-message.ts';
import { registerAgent, registerOwnedAgent } from '../../harness/agents.ts';
import { countRows, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { asQuery, call } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openProvider } from '../../harness/orders.ts';
import { type EvmPayer, openPayer, untilLanded } from '../../harness/payers.ts';
import { agreed, asHeaders, baseWallet, signed, solanaWallet, type TestWallet } from '../../harness/people.ts';

const BASE = 'base-mainnet';
let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

async function signedIn(wallet: TestWallet, route: `${string} /${string}`): Promise<string> {
  const { headers } = await call(url, route, route.startsWith('POST') ? { body: {} } : {});
  const required = JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString());
  const { info } = required.extensions['sign-in-with-x'];
  const message = { ...info, address: wallet.address, chainId: 'eip155:8453', type: 'eip191', signature: '' };
  const signature = await wallet.sign(signInText(message, wallet.address));
  return Buffer.from(JSON.stringify({ ...message, signature })).toString('base64');
}

async function openFunded(network: NetworkName, secretKey: Hex, usdcMicros = 0n): Promise<EvmPayer> {
  const payer = openPayer(market, network, secretKey);
  assert.ok(payer.kind === 'evm');
  await market.localChains?.fund({ network, address: payer.address, usdcMicros, native: 10n ** 19n });
  while ((await payer.chain.readBalances(payer.address)).native === 0n) await new Promise((resolve) => setTimeout(resolve, 50));
  return payer;
}

test('V01, V19: a sign-in copied from the address of a refused recovery recovers no key', async () => {
  const victim = baseWallet();
  const agent = await registerOwnedAgent(url, victim);
  const header = await signedIn(victim, 'POST /api/agents/recover');
  const refused = await call(url, `POST /api/agents/recover?${new URLSearchParams({ 'SIGN-IN-WITH-X': header })}`, { body: {} });
  const stolen = await call(url, 'POST /api/agents/recover', { headers: { 'sign-in-with-x': header }, body: {} });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'recovery with the copy': [stolen, '401 signature_already_used'],
    'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
  });
});

test('V12, V19: a sign-in for orders copied from an address spends no transfer', async () => {
  const bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const victim: TestWallet = { chain: 'base', address: account.address, sign: (message) => account.signMessage({ message }) };
  const payer = await openFunded(BASE, key, 5_500_000n);
  while ((await payer.chain.readBalances(payer.address)).usdcMicros < 5_500_000n) await new Promise((resolve) => setTimeout(resolve, 50));
  const reference = await payer.pay(payer.chain.treasury, 5_500_000n);
  await untilLanded(payer.chain, reference as Hex, 'final');
  const header = await signedIn(victim, 'GET /api/orders');
  const refused = await call(url, `GET /api/orders?${new URLSearchParams({ 'SIGN-IN-WITH-X': header })}`);
  const taken = await hireWith(url, bait, { ...transferProof(BASE, reference), 'sign-in-with-x': header }, { brief: 'All of it for me.' });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    hire: [taken, '401 signature_already_used'],
    'transfers spent': [await countRows(market, 'payment_claims', 'reference', reference), 0],
  });
});

const MAGIC = `0x${'6492'.repeat(16)}` as Hex;

test('V02, V19: an action message of a contract wallet copied from an address opens no session in another encoding', async () => {
  const key = generatePrivateKey();
  const owner = privateKeyToAccount(key);
  const { wallet, reader } = await openFunded(BASE, key);
  const { abi, creationCode: bytecode } = sandboxSmartWallet;
  const hash = await wallet.sendTransaction({ data: encodeDeployData({ abi, bytecode, args: [owner.address] }), gas: 5_000_000n });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  const victim: TestWallet = {
    chain: 'base',
    address: getAddress(contractAddress as Hex),
    sign: (message) => owner.signMessage({ message }),
  };
  const message = await agreed(url, victim, { action: 'session' });
  const refused = await call(url, `POST /api/auth/session?${new URLSearchParams(message)}`);
  const plain = await call(url, 'POST /api/auth/session', { body: message });
  const inner = encodeAbiParameters(parseAbiParameters('address, bytes, bytes'), [owner.address, '0x', message.wallet_sig as Hex]);
  const stolen = await call(url, 'POST /api/auth/session', { body: { ...message, wallet_sig: concatHex([inner, MAGIC]) } });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'session with the copy': [plain, '401 signature_already_used'],
    'session with the copy in another encoding': [stolen, '401 signature_already_used'],
  });
});

test('V03, V07: the old key cannot add a payout address to the message of the first owner', async () => {
  const victim = baseWallet();
  const thief = baseWallet();
  const agent = await registerAgent(url);
  const message = await agreed(url, victim, { action: 'own_agent', agent_id: agent.id });
  const stolen = await call(url, 'PATCH /api/agents/me', {
    key: agent.key,
    body: { ...message, owner_wallet: victim.address, payout_address_base: thief.address, payout_chain: 'base' },
  });
  const { rows } = await market.database.pool.query('select payout_address_base from agents where id = $1', [agent.id]);
  requireOutcomes({
    'the call': [stolen, '401 custody_signature_required'],
    'payout address of the owned agent': [rows[0]?.payout_address_base ?? null, null],
  });
});

test('V01, V19: a signature in an address is marked despite four other signatures before it', async () => {
  const victim = baseWallet();
  const agent = await registerOwnedAgent(url, victim);
  const fields = await signed(victim);
  const refs = Array.from({ length: 4 }, () => randomBytes(65).toString('hex'));
  const refused = await call(url, `POST /api/agents/recover?refs=${refs.join(',')}&${asQuery(fields).slice(1)}`, { body: {} });
  const stolen = await call(url, 'POST /api/agents/recover', { headers: asHeaders(fields), body: {} });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'recovery with the copy': [stolen, '401 signature_already_used'],
    'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
  });
});

test('V01, V19: a signature in a nested address, escaped twice, is marked', async () => {
  const victim = solanaWallet();
  const agent = await registerOwnedAgent(url, victim);
  const fields = await signed(victim);
  const nested = encodeURIComponent(encodeURIComponent(`/api/agents/recover${asQuery(fields)}`));
  const refused = await call(url, `GET /sign-in-here?next=${nested}`);
  const stolen = await call(url, 'POST /api/agents/recover', { headers: asHeaders(fields), body: {} });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'recovery with the copy': [stolen, '401 signature_already_used'],
    'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
  });
});
