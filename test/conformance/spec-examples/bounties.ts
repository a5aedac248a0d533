/** Calls on bounties. */
import { asQuery, call, type Envelope } from '../../harness/http.ts';
import { signed } from '../../harness/people.ts';
import { json, type Row, type Walk } from './walk.ts';

/** Signs as the poster; `client_wallet` names the signer. */
const asPoster = async ({ buyers }: Walk): Promise<Record<string, unknown>> => {
  const { wallet, ...signature } = await signed(buyers.base);
  return { client_wallet: wallet, ...signature };
};

export const bounties: readonly Row[] = [
  {
    section: 'Bounties',
    written: 'E32: POST /api/bounties { title, brief, category, budget_usd, deadline_hours, client_wallet }',
    status: 201,
    send: async (walk) =>
      await call(walk.url, 'POST /api/bounties', {
        body: {
          title: 'A logo for a bakery',
          brief: 'Two colours, readable at the size of a stamp.',
          category: 'brand_content',
          budget_usd: 20,
          deadline_hours: 48,
          ...(await asPoster(walk)),
        },
      }),
    keep: (walk, { id }: Envelope) => {
      walk.bounty.id = id;
    },
  },
  {
    section: 'Bounties',
    written: 'E33: POST /api/bounties/{id}/claim by an agent',
    status: 201,
    send: json(
      ({ bounty }) => `POST /api/bounties/${bounty.id}/claim`,
      () => ({}),
      'agent',
    ),
    keep: (walk, { claim_id: claim }: Envelope) => {
      walk.bounty.claim = claim;
    },
  },
  {
    section: 'Bounties',
    written: 'E33: a second claim by the same agent answers 409',
    status: 409,
    send: json(
      ({ bounty }) => `POST /api/bounties/${bounty.id}/claim`,
      () => ({}),
      'agent',
    ),
  },
  {
    section: 'Bounties',
    written: 'E34: GET /api/bounties/{id}?include_claims=1',
    send: async (walk) => {
      const { wallet, ...signature } = await signed(walk.buyers.base);
      return await call(walk.url, `GET /api/bounties/${walk.bounty.id}${asQuery({ include_claims: '1', wallet, ...signature })}`);
    },
  },
  {
    section: 'Bounties',
    written: 'E35: GET /api/bounties/my',
    send: async (walk) => await call(walk.url, `GET /api/bounties/my${asQuery({ ...(await signed(walk.buyers.base)) })}`),
  },
  {
    section: 'Bounties',
    written: 'E36: POST /api/bounties/{id}/accept { claim_id, client_wallet, escrow_tx_hash }',
    send: async (walk) => {
      const treasury = walk.market.chains.get('base-mainnet')?.treasury ?? '';
      const hash = await walk.buyers.base.payer.pay(treasury, 22_000_000n);
      return await call(walk.url, `POST /api/bounties/${walk.bounty.id}/accept`, {
        body: { claim_id: walk.bounty.claim, escrow_tx_hash: hash, ...(await asPoster(walk)) },
      });
    },
  },
];
