/** Returning buyers with the official sign-in-with-x helpers, on two processes that share only the database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import {
  createSIWxClientExtension,
  createSIWxMessage,
  encodeSIWxHeader,
  type SIWxSigner,
  wrapFetchWithSIWx,
} from '@x402/extensions/sign-in-with-x';
import { exactPaymentsOf } from '../../packages/server/testing/facilitator-test-bench.ts';
import { upload } from '../harness/files.ts';
import { call, type Reply } from '../harness/http.ts';
import {
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  requireHired,
  signPayment,
  transferProof,
} from '../harness/machine-buyers.ts';
import { freePort } from '../harness/market.ts';
import { deliver, listService, openProvider } from '../harness/orders.ts';
import type { Payer } from '../harness/payers.ts';
import { agentBody, asHeaders, baseWallet, signed, type TestWallet } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { openSharedMoney } from '../money/shared-money.ts';

const networks: readonly NetworkName[] = ['base-mainnet', 'solana-mainnet', 'alt-mainnet'];

/** One deployment at two addresses, with a process at each. */
async function openStage(): Promise<MachineStage> {
  const shared = await openSharedMoney();
  try {
    const ports = [await freePort(), await freePort()] as const;
    const urls = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const;
    const start = (port: number) => shared.startServer({ PORT: String(port), BASE_URL: urls[0], APP_URL: urls[1] });
    const servers = [await start(ports[0]), await start(ports[1])] as const;
    const provider = await openProvider(urls[0]);
    return { ...shared, servers, urls, provider, serviceId: await listService(urls[0], provider, { price_usd: '1.00' }) };
  } catch (error) {
    await shared.close();
    throw error;
  }
}

function signerOf(payer: Payer): SIWxSigner {
  if (payer.kind === 'evm') return payer.wallet as unknown as SIWxSigner;
  return { publicKey: payer.address, signMessage: (bytes: Uint8Array) => payer.wallet.signMessage(bytes) } as unknown as SIWxSigner;
}

/** Does what the official fetch wrapper does with the official helpers: ask, let the extension sign, ask again. Never pays. */
async function callSigning(signer: SIWxSigner, url: string, route: `${string} /${string}`, body?: unknown): Promise<Reply> {
  const client = new x402HTTPClient(new x402Client().registerExtension(createSIWxClientExtension({ signers: [signer] })));
  const asked = await call(url, `${route}${route.includes('?') ? '&' : '?'}auth=siwx`, { ...(body !== undefined && { body }) });
  assert.equal(asked.status, 402, JSON.stringify(asked.body));
  const required = client.getPaymentRequiredResponse((name) => asked.headers.get(name), asked.body);
  const headers = await client.handlePaymentRequired(required, `${url}${route.split(' ')[1]}`);
  assert.ok(headers, 'the client has signed');
  return await call(url, route, { headers, ...(body !== undefined && { body }) });
}

type Message = Record<string, unknown>;

/** Signs the challenge as a careless or dishonest client might change it. */
async function signChanged(url: string, wallet: TestWallet, chainId: string, changes: Message = {}): Promise<Record<string, string>> {
  const { headers } = await call(url, 'GET /api/orders/ord_1_abc');
  const extension = decodePaymentRequiredHeader(headers.get('payment-required') ?? '').extensions?.['sign-in-with-x'] as { info: Message };
  const type = wallet.chain === 'solana' ? 'ed25519' : 'eip191';
  const info = { ...extension.info, chainId, type, ...changes };
  const signature = await wallet.sign(createSIWxMessage(info as never, wallet.address));
  return { 'sign-in-with-x': encodeSIWxHeader({ ...info, address: wallet.address, signature } as never) };
}

describe('sign-in-with-x', () => {
  let stage: MachineStage;
  let first: string;
  let second: string;
  before(async () => {
    stage = await openStage();
    [first, second] = stage.urls;
  });
  after(async () => {
    await stage.close();
  });

  const hire = async (buyer: MachineBuyer): Promise<string> =>
    (await requireHired(hireWith(first, stage.serviceId, await signPayment(stage, buyer)))).orderId;

  for (const network of some(networks, 2)) {
    test(`the payer on ${network} reads, writes, requests a revision and downloads by signing in`, async () => {
      const buyer = await openMachineBuyer(stage, network);
      const orderId = await hire(buyer);
      const signer = signerOf(buyer.payer);
      const sent = await upload(first, stage.provider.key, { content: 'The result, as text.', name: 'result.txt', type: 'text/plain' });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      const delivered = await deliver(first, orderId, stage.provider, {
        deliverable_url: sent.body['data'].url,
        deliverable_media_type: 'document',
      });
      assert.equal(delivered.status, 200, JSON.stringify(delivered.body));

      const read = await callSigning(signer, first, `GET /api/orders/${orderId}`);
      assert.deepEqual([read.status, read.body['data']?.viewer_role], [200, 'buyer'], JSON.stringify(read.body));
      const wrote = await callSigning(signer, second, `POST /api/orders/${orderId}/messages`, { content: 'Nearly there.' });
      assert.equal(wrote.status, 200, JSON.stringify(wrote.body));
      const file = new URL(sent.body['data'].url).pathname as `/${string}`;
      const downloaded = await callSigning(signer, first, `GET ${file}`);
      assert.deepEqual([downloaded.status, downloaded.body['text']], [200, 'The result, as text.']);
      const revision = { action: 'revision', feedback: 'In two colours.' };
      const revised = await callSigning(signer, second, `PATCH /api/orders/${orderId}`, revision);
      assert.deepEqual([revised.status, revised.body['data']?.status], [200, 'revision_requested'], JSON.stringify(revised.body));
    });
  }

  const choices = [
    ['base-mainnet', {}],
    ['base-mainnet', { query: '&chain=base' }],
    ['solana-mainnet', { query: '&chain=solana' }],
    ['solana-mainnet', { headers: { 'x-payment-network': 'solana-mainnet' } }],
    ['alt-mainnet', { query: '&chain=alt' }],
  ] as const satisfies readonly (readonly [NetworkName, { query?: string; headers?: Record<string, string> }])[];
  for (const [network, chosen] of some(choices, 2)) {
    const { query, headers } = { query: '', headers: {}, ...chosen };
    test(`the official wrapFetchWithSIWx signs in on ${network} (auth=siwx${query}${Object.keys(headers).join()})`, async () => {
      const buyer = await openMachineBuyer(stage, network);
      const orderId = await hire(buyer);
      const fetchSigning = wrapFetchWithSIWx(fetch, signerOf(buyer.payer));
      const order = `${first}/api/orders/${orderId}`;
      const read = await fetchSigning(`${order}?auth=siwx${query}`, { headers });
      const text = await read.text();
      assert.deepEqual([read.status, read.headers.get('x-ignored-parameters')], [200, null], text);
      assert.equal(JSON.parse(text).data.viewer_role, 'buyer');
      const wrote = await fetchSigning(`${order}/messages?auth=siwx${query}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'Signed by the official client.' }),
      });
      assert.equal(wrote.status, 200, await wrote.text());
    });
  }

  test('the 402 that asks for a sign-in signature is a valid, small challenge that no client pays', async () => {
    const { payer } = await openMachineBuyer(stage, 'base-mainnet');
    assert.ok(payer.kind === 'evm');
    const asked = await call(first, 'GET /api/orders?auth=siwx');
    const header = asked.headers.get('payment-required') ?? '';
    assert.ok(header.length < 3 * 1024, `${header.length} bytes`);
    const required = decodePaymentRequiredHeader(header);
    assert.deepEqual(PaymentRequiredV2Schema.safeParse(required).error?.issues, undefined);
    assert.deepEqual(
      required.accepts.map(({ scheme, network, amount }) => [scheme, network, amount]),
      [['sign-in-with-x', payer.chain.caip2, '0']],
    );
    const paying = new x402Client().register('eip155:*', exactPaymentsOf(payer.wallet.account));
    await assert.rejects(paying.createPaymentPayload(required), /sign-in-with-x|No .*scheme/i);
  });

  test('a stranger who signs in with SIGN-IN-WITH-X gets 403 from an order', async () => {
    const orderId = await hire(await openMachineBuyer(stage, 'base-mainnet'));
    const stranger = signerOf((await openMachineBuyer(stage, 'base-mainnet')).payer);
    const read = await callSigning(stranger, first, `GET /api/orders/${orderId}`);
    assert.deepEqual([read.status, read.body['code']], [403, 'not_your_order']);
    const steered = await callSigning(stranger, first, `PATCH /api/orders/${orderId}`, { action: 'cancel' });
    assert.deepEqual([steered.status, steered.body['code']], [403, 'not_your_order']);
  });

  test('without auth=siwx an order answers 401 with the sign-in challenge in a header', async () => {
    const plain = await call(first, 'GET /api/orders/ord_1_abc');
    assert.deepEqual([plain.status, plain.body['code']], [401, 'unauthenticated']);
    assert.match(plain.body['error'], /SIGN-IN-WITH-X/);
    const { extensions, accepts } = decodePaymentRequiredHeader(plain.headers.get('payment-required') ?? '');
    assert.deepEqual([Object.keys(extensions ?? {}), accepts], [['sign-in-with-x'], []]);
    const wished = await call(first, 'GET /api/orders/ord_1_abc?auth=siwx');
    assert.deepEqual([wished.status, wished.body['code'], wished.headers.get('x-ignored-parameters')], [402, 'sign_in_required', null]);
    const publicly = await call(first, 'GET /api/agents?auth=siwx');
    assert.deepEqual([publicly.status, publicly.headers.get('payment-required')], [200, null]);
  });

  test('a sign-in proof for one URL proves the wallet at every URL', async () => {
    const buyer = await openMachineBuyer(stage, 'base-mainnet');
    const orderId = await hire(buyer);
    const headers = await signChanged(first, buyer, buyer.payer.chain.caip2);
    assert.equal((await call(second, `GET /api/orders/${orderId}`, { headers })).status, 200);
  });

  describe('refused sign-in proofs', () => {
    const refused: Record<string, { changes: Message; code: string; words: RegExp }> = {
      'another domain': {
        changes: { domain: 'evil.example', uri: 'https://evil.example/' },
        code: 'invalid_signature',
        words: /evil\.example, not for 127\.0\.0\.1/,
      },
      'an expired message': { changes: { expirationTime: '2024-01-15T10:35:00.000Z' }, code: 'signature_expired', words: /has expired/ },
      'another chain': { changes: { chainId: 'eip155:1' }, code: 'invalid_signature', words: /eip155:1, only on .*eip155:8453/ },
      'a nonce of the client': { changes: { nonce: 'f'.repeat(32) }, code: 'invalid_signature', words: /nonce was not issued here/ },
      'another statement': { changes: { statement: 'Approve everything' }, code: 'invalid_signature', words: /something else/ },
    };
    for (const [name, { changes, code, words }] of Object.entries(refused)) {
      test(`a sign-in proof with ${name} is 401 with the reason and a new challenge`, async () => {
        const wallet = baseWallet();
        const headers = await signChanged(first, wallet, 'eip155:8453', changes);
        const reply = await call(second, 'GET /api/orders', { headers });
        assert.deepEqual([reply.status, reply.body['code']], [401, code]);
        assert.match(reply.body['error'], words);
        assert.ok(decodePaymentRequiredHeader(reply.headers.get('payment-required') ?? '').extensions?.['sign-in-with-x']);
      });
    }

    test('a sign-in proof used again is 401, also in parallel on the other process', async () => {
      const headers = await signChanged(first, baseWallet(), 'eip155:8453');
      const uses = await Promise.all([first, second, first, second].map((url) => call(url, 'GET /api/orders', { headers })));
      assert.deepEqual(uses.map(({ status }) => status).sort(), [200, 401, 401, 401]);
      for (const { status, body } of uses) if (status === 401) assert.match(body['error'], /used already/);
    });

    test('a sign-in proof beside a wallet signature, or two proofs in one header, are 401', async () => {
      const wallet = baseWallet();
      const both = { ...(await signChanged(first, wallet, 'eip155:8453')), ...asHeaders(await signed(wallet)) };
      assert.equal((await call(first, 'GET /api/orders', { headers: both })).body['code'], 'invalid_signature');
      const once = (await signChanged(first, wallet, 'eip155:8453'))['sign-in-with-x'];
      const twice = await call(first, 'GET /api/orders', { headers: { 'sign-in-with-x': `${once}, ${once}` } });
      assert.equal(twice.body['code'], 'invalid_signature');
    });
  });

  test('a sign-in proof is neither accepted nor offered where a custody signature is required', async () => {
    const registered = await call(first, 'POST /api/agents/register', { body: agentBody() });
    const wallet = baseWallet();
    const headers = { authorization: `Bearer ${registered.body['data'].api_key}`, ...(await signChanged(first, wallet, 'eip155:8453')) };
    const reply = await call(first, 'PATCH /api/agents/me', { headers, body: { owner_wallet: wallet.address } });
    assert.deepEqual([reply.status, reply.body['code']], [401, 'custody_signature_required'], JSON.stringify(reply.body));
    assert.equal(reply.headers.get('payment-required'), null);
  });

  test('a sign-in proof with a transfer reference proves the payer and returns the acting token', async () => {
    const buyer = await openMachineBuyer(stage, 'base-mainnet');
    const { chain } = buyer.payer;
    const reference = await buyer.payer.pay(chain.treasury, 1_100_000n);
    const proof = transferProof('base-mainnet', reference);
    const { orderId, token } = await requireHired(hireWith(first, stage.serviceId, proof));
    const cancelWith = (key: string | null) => call(first, `PATCH /api/orders/${orderId}`, { key: key ?? '', body: { action: 'cancel' } });
    assert.equal((await cancelWith(token)).status, 403, 'the first presenter only reads');
    const shown = await requireHired(hireWith(first, stage.serviceId, { ...proof, ...(await signChanged(first, buyer, chain.caip2)) }));
    assert.notEqual(shown.token, token);
    // The order may be paid out already; any of these answers treats the token as the buyer's.
    assert.ok([200, 400, 409].includes((await cancelWith(shown.buyerToken)).status));
  });
});
