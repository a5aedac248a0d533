/** The SDK with a wallet, against a running market: each call signs as needed, without further code. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMarketClient, type MarketClient, type WalletSigner } from '@market/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { runMarket } from '../../packages/cli/src/run-market.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, baseWallet, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

/** A signer that records the texts it was asked to sign. */
function signerOf({ address, chain, sign }: TestWallet): WalletSigner & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    address,
    chain,
    asked,
    async signMessage(text) {
      asked.push(text);
      return await sign(text);
    },
  };
}

function clientOf(identity: { apiKey?: string; accessToken?: string; wallet?: WalletSigner }): MarketClient {
  return createMarketClient({ baseUrl: market.url, ...identity });
}

for (const kind of [baseWallet, solanaWallet]) {
  test(`V02: the SDK opens a session and links a wallet with messages of the service, on ${kind().chain}`, async () => {
    const wallet = signerOf(kind());
    const accessToken = await tokenFor(market.url, { email: `sdk-${wallet.chain}@example.com` });
    const session = await clientOf({ wallet }).auth.createSession();
    assert.equal(session.data.wallet, wallet.address);
    const client = clientOf({ wallet, accessToken });
    await client.auth.signIn({});
    const linked = await client.auth.linkWallet();
    assert.equal(linked.data.wallet.address, wallet.address);
    assert.match(wallet.asked[0] ?? '', /Request ID: session$/);
    assert.match(wallet.asked[1] ?? '', /Request ID: link_wallet:[^\n]+$/);
    assert.deepEqual((await clientOf({ wallet }).auth.undoLink({ address: wallet.address })).data, {
      wallet: wallet.address,
      undone: true,
    });
  });
}

test('V05: the SDK signs a change of payout and a claim of ownership over the call itself, beside the key', async () => {
  const wallet = signerOf(baseWallet());
  const agent = await registerAgent(market.url);
  const claimed = await clientOf({ wallet, apiKey: agent.key }).agents.updateMe({ owner_wallet: wallet.address });
  assert.equal(claimed.data.owner_wallet, wallet.address);
  assert.notEqual(claimed.data.api_key, agent.key);
  const payout = baseWallet().address;
  const owner = clientOf({ wallet, apiKey: String(claimed.data.api_key) });
  const changed = await owner.agents.updateMe({ payout_address_base: payout, payout_chain: 'base' });
  assert.equal(changed.data.payout_address_base, payout);
  const { host } = new URL(market.url);
  for (const text of wallet.asked)
    assert.ok(text.startsWith(`market:${host}:${wallet.address}:`) && text.includes(':PATCH /api/agents/me:'), text);
  assert.equal(wallet.asked.length, 2);
});

test('V03: the SDK signs what a refusal asks of the owner wallet: a new key, and an account as second owner', async () => {
  const owner = baseWallet();
  const wallet = signerOf(owner);
  const agent = await registerOwnedAgent(market.url, owner);
  const rotated = await clientOf({ wallet, apiKey: agent.key }).agents.rotateKey();
  assert.notEqual(rotated.data.api_key, agent.key);
  const accessToken = await tokenFor(market.url, { email: 'second-owner@example.com' });
  const linked = await clientOf({ wallet, accessToken }).agents.link({ api_key: String(rotated.data.api_key) });
  assert.equal(linked.data.already_linked, false);
  assert.match(String(linked.data.api_key), /^market_/);
  assert.match(wallet.asked.at(-1) ?? '', new RegExp(`Request ID: link_agent:${agent.id}:`));
});

test('V08: the SDK registers an agent for its wallet and gets the key back, each with a signature of its own', async () => {
  const wallet = signerOf(solanaWallet());
  const client = clientOf({ wallet });
  const { name, description } = agentBody() as { name: string; description: string };
  const registered = await client.agents.register({ name, description });
  const recovered = await client.agents.recover({ agent_name: name });
  assert.equal(recovered.data.agents[0]?.api_key, registered.data.api_key);
  assert.equal(new Set(wallet.asked).size, 2);
});

test('V05: the command line signs a change of payout with the program that holds the key of the wallet', async () => {
  const secret = generatePrivateKey();
  const { address } = privateKeyToAccount(secret);
  const agent = await registerAgent(market.url);
  const signer = fileURLToPath(new URL('./sign-text.ts', import.meta.url));
  const run = async (key: string, ...args: readonly string[]) => {
    const lines: string[] = [];
    const complaints: string[] = [];
    const env = {
      MARKET_URL: market.url,
      MARKET_API_KEY: key,
      MARKET_WALLET: address,
      MARKET_SIGN_WITH: `"${process.execPath}" "${signer}" ${secret}`,
    };
    const interruption = () => new AbortController().signal;
    const readInput = async () => '';
    const code = await runMarket(args, {
      env,
      readInput,
      print: (line) => lines.push(line),
      complain: (line) => complaints.push(line),
      interruption,
    });
    assert.equal(code, 0, complaints.join('\n'));
    return JSON.parse(lines.join('\n')) as Record<string, unknown>;
  };
  const claimed = await run(agent.key, 'agents', 'update-me', '--owner-wallet', address);
  const payout = baseWallet().address;
  const changed = await run(String(claimed['api_key']), 'agents', 'update-me', '--payout-address-base', payout);
  assert.equal(changed['payout_address_base'], payout);
});
