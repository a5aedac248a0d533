/** A market in which tokens are made on chain and registered by their owner's wallet. */
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import type { SolanaPayer } from '../harness/payers.ts';
import { signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { createMaker, type MadeToken } from '../harness/tokens.ts';

export const ADMIN_KEY = `admin_${'k3v9x1q7'.repeat(4)}`;

export interface TokenStage {
  readonly market: TestMarket;
  readonly maker: SolanaPayer;
  /** The maker's wallet, which owns the agents. */
  readonly owner: TestWallet;
  readonly admin: CallOptions;
  /** A complete registration of this mint by the owner. */
  body(token: Pick<MadeToken, 'mint'> & Partial<MadeToken>, more?: Envelope): Envelope;
  register(agent: { readonly id: string }, fields: Envelope, options?: CallOptions & { wallet?: TestWallet }): Promise<Reply>;
  /** A signature that no other call of this stage has. */
  sign(): Promise<Envelope>;
  read(agent: { readonly id: string }): Promise<Envelope>;
  ownAgent(): Promise<TestAgent>;
}

export const outcomeOf = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];

export async function openTokenStage(): Promise<TokenStage> {
  const market = await openMarket({ ...withChains, JOBS: 'off', ADMIN_EMAILS: 'boss@example.com', ADMIN_API_KEY: ADMIN_KEY });
  const maker = await createMaker(market);
  const owner = walletOf(maker);
  /** Each signature works once, and two of the same millisecond would be identical. */
  let signedAt = Date.now() - 60_000;
  const sign = async (wallet: TestWallet = owner): Promise<Envelope> => {
    signedAt += 1;
    return await signed(wallet, signedAt);
  };
  return {
    market,
    maker,
    owner,
    admin: { key: await tokenFor(market.url, { email: 'boss@example.com' }) },
    sign,
    body: ({ mint, token_name = 'Tallyrook', token_symbol = 'TALLY' }, more = {}) => ({
      token_mint: mint,
      token_name,
      token_symbol,
      token_mode: 'pumpfun',
      token_creator_wallet: owner.address,
      ...more,
    }),
    async register({ id }, fields, { wallet = owner, ...options } = {}) {
      return await call(market.url, `POST /api/agents/${id}/token`, { ...options, body: { ...fields, ...(await sign(wallet)) } });
    },
    read: async ({ id }) => await expectCall(market.url, 200, `GET /api/agents/${id}/token`),
    ownAgent: () => registerOwnedAgent(market.url, owner),
  };
}
