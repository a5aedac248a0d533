/** The calls of Earn: read the markets, send USDC to the treasury they list, register the transfer, read the position, withdraw. */
import { asQuery, call } from '../../harness/http.ts';
import { type Buyer, openBuyer } from '../../harness/orders.ts';
import { signed } from '../../harness/people.ts';
import { get, type Row } from './walk.ts';

const section = 'Earn (yield deposits)';
let depositor: Buyer | undefined;
let incoming = '';

const who = async (): Promise<Record<string, unknown>> => (depositor === undefined ? {} : await signed(depositor));

export const earn: readonly Row[] = [
  {
    section,
    written: 'E50: GET /api/earn/pool/markets',
    send: get(() => 'GET /api/earn/pool/markets'),
  },
  { section, written: 'E51: GET /api/earn/pool/pools', send: get(() => 'GET /api/earn/pool/pools') },
  {
    section,
    written: 'E48: POST /api/earn/pool/deposit with the amount in USD and the transfer as incoming transaction hash',
    send: async ({ market, url }) => {
      depositor = await openBuyer(market, 'base-mainnet', 150_000_000n);
      incoming = await depositor.payer.pay(depositor.payer.chain.treasury, 100_000_000n, 'final');
      return await call(url, 'POST /api/earn/pool/deposit', {
        body: { amount_usd: '100', incoming_tx_hash: incoming, ...(await who()) },
      });
    },
  },
  {
    section,
    written: 'E49: GET /api/earn/pool/positions',
    send: async ({ url }) => {
      for (;;) {
        const reply = await call(url, `GET /api/earn/pool/positions${asQuery((await who()) as Record<string, string>)}`);
        if (reply.status !== 200 || (reply.body['data'] as unknown[]).length > 0) return reply;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
  },
  {
    section,
    written: 'E52: POST /api/earn/pool/withdraw { all: true }',
    send: async ({ url }) => await call(url, 'POST /api/earn/pool/withdraw', { body: { all: true, ...(await who()) } }),
  },
];
