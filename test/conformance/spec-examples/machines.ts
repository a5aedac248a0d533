/** The calls of machines: discovery, and hires paid over HTTP. */
import { request } from 'node:http';
import { call, type Reply } from '../../harness/http.ts';
import { signed } from '../../harness/people.ts';
import { get, type Row, type Walk } from './walk.ts';

/** Pays the challenge by an ordinary transfer, and returns the reference. */
const transferOn = async ({ url, services, buyers }: Walk, chain: keyof Walk['buyers']): Promise<string> => {
  const { body } = await call(url, `GET /api/x402/pay?service_id=${services.fixed}&chain=${chain}`);
  return await buyers[chain].payer.pay(body['payTo'], BigInt(body['maxAmountRequired']));
};
const proofOf = async (walk: Walk, chain: keyof Walk['buyers'], more: Record<string, string> = {}): Promise<Record<string, string>> => {
  const { wallet, wallet_sig, wallet_sig_ts } = await signed(walk.buyers[chain]);
  const shown = { 'x-market-wallet': wallet, 'x-market-wallet-sig': wallet_sig, 'x-market-wallet-sig-ts': String(wallet_sig_ts) };
  return { 'x-payment': await transferOn(walk, chain), ...shown, ...more };
};

export const machines: readonly Row[] = [
  { section: 'x402 flow and endpoints', written: 'E38: GET /api/x402/services', send: get(() => 'GET /api/x402/services') },
  {
    section: 'x402 flow and endpoints',
    written: 'E39, F03: GET /api/x402/discover?service_id=<id>',
    status: 402,
    send: get(({ services }) => `GET /api/x402/discover?service_id=${services.fixed}`),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'E40: GET /api/x402/discover/{service_id}',
    status: 402,
    send: get(({ services }) => `GET /api/x402/discover/${services.fixed}`),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'E41: POST /api/x402/pay?service_id=<id>, X-PAYMENT, body { brief }',
    send: async (walk) =>
      await call(walk.url, `POST /api/x402/pay?service_id=${walk.services.fixed}`, {
        headers: await proofOf(walk, 'base'),
        body: { brief: 'A logo.' },
      }),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'POST /api/x402/pay with a Solana signature, the network inferred',
    send: async (walk) =>
      await call(walk.url, `POST /api/x402/pay?service_id=${walk.services.fixed}`, {
        headers: await proofOf(walk, 'solana'),
        body: { brief: 'A logo.' },
      }),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'E41: POST /api/x402/pay with X-Payment-Network: alt-mainnet',
    send: async (walk) =>
      await call(walk.url, `POST /api/x402/pay?service_id=${walk.services.fixed}`, {
        headers: await proofOf(walk, 'alt', { 'x-payment-network': 'alt-mainnet' }),
        body: { brief: 'A logo.' },
      }),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'E44: POST /api/orders with X-PAYMENT and body { service_id, brief }',
    send: async (walk) =>
      await call(walk.url, 'POST /api/orders', {
        headers: await proofOf(walk, 'base'),
        body: { service_id: walk.services.fixed, brief: 'A logo for a bakery.' },
      }),
  },
  {
    section: 'x402 per-service discovery',
    written: 'GET /api/x402/discover/{service_id} with a JSON body { brief }, paid',
    send: async (walk) =>
      await getWithBody(walk.url, `/api/x402/discover/${walk.services.fixed}`, await proofOf(walk, 'base'), { brief: 'A logo.' }),
  },
  {
    section: 'x402 per-service discovery',
    written: 'the brief as a query parameter, paid',
    send: async (walk) =>
      await call(walk.url, `GET /api/x402/discover/${walk.services.fixed}?brief=A%20logo.`, { headers: await proofOf(walk, 'base') }),
  },
  {
    section: 'x402 per-service discovery',
    written: 'E40: the brief as X-Market-Brief, paid',
    send: async (walk) =>
      await call(walk.url, `GET /api/x402/discover/${walk.services.fixed}`, {
        headers: await proofOf(walk, 'base', { 'x-market-brief': 'A logo.' }),
      }),
  },
  { section: 'x402 flow and endpoints', written: 'E42: GET /api/x402/trending', send: get(() => 'GET /api/x402/trending') },
  { section: 'x402 flow and endpoints', written: 'E43: GET /api/x402/directory', send: get(() => 'GET /api/x402/directory') },
  { section: 'x402 flow and endpoints', written: 'E46: GET /.well-known/x402', send: get(() => 'GET /.well-known/x402') },
  { section: 'x402 flow and endpoints', written: 'E47: GET /openapi.json', send: get(() => 'GET /openapi.json') },
  {
    section: 'Other endpoint groups',
    written: 'E55: PUT /api/profile',
    send: ({ url, token }) =>
      call(url, 'PUT /api/profile', { headers: { authorization: `Bearer ${token}` }, body: { bio: 'Buys logos.' } }),
  },
  {
    section: 'Other endpoint groups',
    written: 'E56: POST /api/market',
    send: ({ url }) => call(url, 'POST /api/market', { body: { mints: ['So11111111111111111111111111111111111111112'] } }),
  },
];

/** `fetch` cannot send a body with GET. */
async function getWithBody(url: string, path: string, headers: Record<string, string>, body: unknown): Promise<Reply> {
  const text = JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
    const sent = request(new URL(path, url), { method: 'GET', headers: all, agent: false }, (response) => {
      response
        .toArray()
        .then(
          (chunks) =>
            resolve({ status: response.statusCode ?? 0, headers: new Headers(), body: JSON.parse(Buffer.concat(chunks).toString()) }),
          reject,
        );
    });
    sent.once('error', reject).end(text);
  });
}
