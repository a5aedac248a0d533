/** The calls of accounts, agents and services. */
import assert from 'node:assert/strict';
import { png, upload } from '../../harness/files.ts';
import { asQuery, call } from '../../harness/http.ts';
import { signed, solanaWallet } from '../../harness/people.ts';
import { get, json, type Row } from './walk.ts';

export const agents: readonly Row[] = [
  {
    section: 'Identity and agents',
    written: 'E01: POST /api/auth/user with an identity-provider token, no body needed',
    send: ({ url, token }) => call(url, 'POST /api/auth/user', { headers: { authorization: `Bearer ${token}` } }),
  },
  {
    section: 'Authentication',
    written: 'POST /api/auth/user { idp_access_token }',
    send: json(
      () => 'POST /api/auth/user',
      ({ token }) => ({ idp_access_token: token }),
    ),
  },
  {
    section: 'Identity and agents',
    written: 'E03: POST /api/agents/register { name, description }, bare',
    status: 201,
    send: json(
      () => 'POST /api/agents/register',
      () => ({ name: 'Bare agent', description: 'Registers without an owner.' }),
    ),
  },
  {
    section: 'Identity and agents',
    written:
      'POST /api/agents/register { name, description, capabilities, endpoint_url, avatar_url, ai_models, owner_wallet, wallet, wallet_sig, wallet_sig_ts }',
    status: 201,
    send: json(
      () => 'POST /api/agents/register',
      async ({ owner, receiver }) => ({
        name: "O'Neill-Bot 2.0_x",
        description: 'Draws logos for bakeries, two colours at most.',
        capabilities: ['image_gen', 'custom'],
        endpoint_url: receiver.url,
        avatar_url: 'https://example.com/avatar.png',
        ai_models: ['model-a'],
        owner_wallet: owner.address,
        ...(await signed(owner)),
      }),
    ),
    keep: (walk, { agent_id: id, api_key: key }) => {
      walk.agent = { id, key };
    },
  },
  {
    section: 'x402 flow and endpoints',
    written: 'E04: POST /api/agents/register?pay=x402',
    status: 402,
    send: json(
      () => 'POST /api/agents/register?pay=x402',
      () => ({ name: 'Paying agent', description: 'Registers by paying.' }),
    ),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'E04: POST /api/agents/register { pay_to_register: true }, then X-PAYMENT',
    status: 201,
    send: async ({ url, buyers }) => {
      const body = { name: 'Paying agent', description: 'Registers by paying.', pay_to_register: true };
      const asked = await call(url, 'POST /api/agents/register', { body });
      assert.equal(asked.status, 402, JSON.stringify(asked.body));
      const payer = asked.body['network'] === 'solana-mainnet' ? buyers.solana : buyers.base;
      const reference = await payer.payer.pay(asked.body['payTo'], BigInt(asked.body['maxAmountRequired']));
      const { wallet, wallet_sig, wallet_sig_ts } = await signed(payer);
      return await call(url, 'POST /api/agents/register', {
        headers: { 'x-payment': reference },
        body: { ...body, wallet, wallet_sig, wallet_sig_ts },
      });
    },
  },
  { section: 'Identity and agents', written: 'GET /api/agents', send: get(() => 'GET /api/agents') },
  {
    section: 'Identity and agents',
    written: 'E02: GET /api/agents?wallet=…&wallet_sig=…&wallet_sig_ts=…',
    send: async ({ url, owner }) => await call(url, `GET /api/agents${asQuery(await signed(owner))}`),
  },
  { section: 'Identity and agents', written: 'E06: GET /api/agents/me', send: get(() => 'GET /api/agents/me', 'agent') },
  {
    section: 'Identity and agents',
    written: 'E07: PATCH /api/agents/me { endpoint_url }',
    send: json(
      () => 'PATCH /api/agents/me',
      ({ receiver }) => ({ endpoint_url: receiver.url }),
      'agent',
    ),
  },
  {
    section: 'Identity and agents',
    written: 'E05: POST /api/agents/recover with a wallet signature',
    send: json(
      () => 'POST /api/agents/recover',
      async ({ owner }) => ({ ...(await signed(owner)) }),
    ),
  },
  {
    section: 'Identity and agents',
    written: 'E08: GET /api/agents/{id}/funding',
    send: get(({ agent }) => `GET /api/agents/${agent.id}/funding`, 'agent'),
  },
  {
    section: 'Identity and agents',
    written: 'E09: POST /api/agents/{id}/token/launch { symbol, description, image_url }, without a linked X account',
    status: 403,
    send: json(
      ({ agent }) => `POST /api/agents/${agent.id}/token/launch`,
      () => ({
        symbol: 'LOGO',
        description: 'Draws logos for bakeries, two colours at most.',
        image_url: 'https://example.com/avatar.png',
      }),
      'agent',
    ),
  },
  {
    section: 'Identity and agents',
    written: 'E10: POST /api/agents/{id}/token { token_mint, token_name, token_symbol, token_mode, … }, of a mint that does not exist',
    status: 400,
    send: json(
      ({ agent }) => `POST /api/agents/${agent.id}/token`,
      async ({ owner }) => ({
        token_mint: solanaWallet().address,
        token_name: 'Bakery logos',
        token_symbol: 'LOGO',
        token_mode: 'pumpfun',
        token_creator_wallet: owner.address,
        ...(await signed(owner)),
      }),
    ),
  },
  {
    section: 'Identity and agents',
    written: 'E12: POST /api/agents/{id}/said, without SOL in the wallet',
    status: 402,
    send: json(
      ({ agent }) => `POST /api/agents/${agent.id}/said`,
      () => ({}),
      'agent',
    ),
  },
  ...(['fixed', 'quote', 'weekly'] as const).map(
    (kind): Row => ({
      section: 'Services',
      written: `E15: POST /api/agents/{id}/services, ${kind}`,
      status: 201,
      send: json(
        ({ agent }) => `POST /api/agents/${agent.id}/services`,
        () => ({
          category: 'image_gen',
          title: `A logo for a bakery, ${kind}`,
          description: 'Two colours, three drafts, one file that prints.',
          price_type: kind,
          price_usd: kind === 'quote' ? '0' : '5.00',
        }),
        'agent',
      ),
      keep: (walk, { service_id: id }) => {
        walk.services[kind] = id;
      },
    }),
  ),
  {
    section: 'Orders',
    written: 'E29: POST /api/upload',
    send: ({ url, agent }) => upload(url, agent.key, { content: png(4, 4), name: 'logo.png', type: 'image/png' }),
    keep: (walk, { url }) => {
      walk.uploaded = url;
    },
  },
];
