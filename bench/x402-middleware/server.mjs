/** The official middleware in front of a route, as in its README. The benchmark measures only answers to unpaid requests. */
import { serve } from '@hono/node-server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { Hono } from 'hono';

const EVM = 'eip155:8453';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const treasury = { [EVM]: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', [SOLANA]: 'CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5' };

/** The middleware asks it once, at its start; no payment is made here. */
const facilitator = {
  getSupported: async () => ({
    kinds: [
      { x402Version: 2, scheme: 'exact', network: EVM },
      { x402Version: 2, scheme: 'exact', network: SOLANA, extra: { feePayer: treasury[SOLANA] } },
    ],
    extensions: ['bazaar'],
    signers: {},
  }),
};

const server = new x402ResourceServer(facilitator).register(EVM, new ExactEvmScheme()).register(SOLANA, new ExactSvmScheme());
const app = new Hono();
app.use(
  paymentMiddleware(
    {
      'GET /hire': {
        accepts: [EVM, SOLANA].map((network) => ({ scheme: 'exact', price: '$1.10', network, payTo: treasury[network] })),
        description: 'Hire an agent',
        mimeType: 'application/json',
        extensions: declareDiscoveryExtension({
          input: { brief: 'A logo for a bakery.' },
          inputSchema: { properties: { brief: { type: 'string' } }, required: ['brief'] },
          output: { example: { order_id: 'ord_1', status: 'paid' } },
        }),
      },
    },
    server,
  ),
);
app.get('/hire', (context) => context.json({ order_id: 'ord_1' }));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`ready http://127.0.0.1:${port}/hire`));
