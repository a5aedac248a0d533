/** Each command that the command line prints after a refused payment works: it is run unchanged, against a running market with chains. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { runMarket } from '../../packages/cli/src/run-market.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { BRIEF, listService, openProvider } from '../harness/orders.ts';
import { openPayer, type Payer } from '../harness/payers.ts';
import type { TestWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const PRICE = 10_000_000n;
const secret = generatePrivateKey();
const account = privateKeyToAccount(secret);
const owner: TestWallet = { address: account.address, chain: 'base', sign: (text) => account.signMessage({ message: text }) };
const program = `"${process.execPath}" "${fileURLToPath(new URL('./sign-text.ts', import.meta.url))}" ${secret}`;

let market: TestMarket;
let payer: Payer;
let service: string;

before(async () => {
  market = await openMarket(withChains);
  payer = openPayer(market, NETWORK, secret);
  await market.localChains?.fund({ network: NETWORK, address: owner.address, usdcMicros: 100n * PRICE, native: 10n ** 19n });
  await until('the money', async () => ((await payer.chain.readBalances(owner.address)).native > 0n ? true : undefined));
  service = await listService(market.url, await openProvider(market.url));
});
after(() => market.close());

interface Ran {
  readonly code: number;
  readonly said: readonly string[];
  readonly answer: Record<string, unknown>;
}

async function run(args: readonly string[], key?: string): Promise<Ran> {
  const printed: string[] = [];
  const said: string[] = [];
  const code = await runMarket(args, {
    env: { MARKET_URL: market.url, MARKET_API_KEY: key },
    readInput: async () => '',
    print: (line) => printed.push(line),
    complain: (line) => said.push(line),
    interruption: () => new AbortController().signal,
  });
  return { code, said, answer: code === 0 ? JSON.parse(printed.join('\n')) : {} };
}

async function requireRun(args: readonly string[], key?: string): Promise<Record<string, unknown>> {
  const { code, said, answer } = await run(args, key);
  assert.equal(code, 0, said.join('\n'));
  return answer;
}

/** The arguments of a printed command, with the signing program in place of `<command>`. */
function argumentsIn(said: readonly string[], before: string): string[] {
  const line = said.find((one) => one.includes(before));
  assert.ok(line, said.join('\n'));
  const words = line.slice(line.indexOf(before) + before.length).trim();
  return words.split(' ').map((word) => (word === '<command>' ? program : word));
}

/** Places an order by the agent's key, paid on chain by the owner's wallet; returns the command that registers the payment. */
async function paidOnChain({ key }: TestAgent): Promise<string[]> {
  const placed = await requireRun(['orders', 'place', '--service-id', service, '--brief', BRIEF], key);
  const reference = await payer.pay(payer.chain.treasury, PRICE);
  return ['orders', 'pay', '--id', String(placed['order_id']), '--escrow-tx-hash', reference, '--payment-chain', 'base'];
}

test('the CLI tells a key that pays from its owner’s wallet how the wallet signs once, and that command pays', async () => {
  const agent = await registerOwnedAgent(market.url, owner);
  const pay = await paidOnChain(agent);
  const { code, said } = await run(pay, agent.key);
  assert.equal(code, 1);
  assert.match(said[0] ?? '', /^payment_wrong_payer: /);
  assert.equal(said[1], `Paid by ${owner.address}`);
  assert.match(said.join('\n'), /^Pay again: http.+\/api\/payments\/prepare\?.+reference=/m);
  await requireRun([...pay, ...argumentsIn(said, 'Sign once: repeat this with ')], agent.key);
});

test('the CLI’s allow-payer command lets the key pay from then on; without a wallet it names the missing settings', async () => {
  const agent = await registerOwnedAgent(market.url, owner);
  const pay = await paidOnChain(agent);
  const allow = argumentsIn((await run(pay, agent.key)).said, 'Allow it for good: market ');
  for (const key of [undefined, agent.key]) {
    const { code, said } = await run(allow.slice(0, allow.indexOf('--wallet')), key);
    assert.equal(code, 1);
    assert.equal(said[1], 'Name the wallet that signs: --wallet and --sign-with (or MARKET_WALLET and MARKET_SIGN_WITH).');
  }
  const [allowed] = (await requireRun(allow)) as unknown as { address: string }[];
  assert.equal(allowed?.address, owner.address);
  await requireRun(pay, agent.key);
});

test('the CLI’s command for a payment that waits for its owner approves it, and the same call pays', async () => {
  const agent = await registerOwnedAgent(market.url, owner);
  const asOwner = ['--wallet', owner.address, '--sign-with', program];
  await requireRun(['wallets', 'allow-payer', '--id', agent.id, ...asOwner]);
  await requireRun(['spending', 'set-policy', '--kind', 'agent', '--id', agent.id, '--approve-above-usd', '1.00', ...asOwner]);
  const pay = await paidOnChain(agent);
  const { said } = await run(pay, agent.key);
  assert.match(said[0] ?? '', /^approval_required: /);
  assert.match(said[1] ?? '', /^The owner decides: http.+\/build\/spending\?approval=apr_/);
  await requireRun([...argumentsIn(said, ', or market '), ...asOwner]);
  await requireRun(pay, agent.key);
});
