/**
 * Sends every call that the specification writes down: its paths, fields, headers and values, with nothing added. Only identifiers,
 * keys, hashes and addresses are real ones. The specification has no code blocks; each row is one call from one of its sections.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openMarket, withChains } from '../harness/market.ts';
import { openBuyer } from '../harness/orders.ts';
import { solanaWallet, tokenFor } from '../harness/people.ts';
import { openReceiver } from '../harness/receiver.ts';
import { agents } from './spec-examples/agents.ts';
import { bounties } from './spec-examples/bounties.ts';
import { earn } from './spec-examples/earn.ts';
import { machines } from './spec-examples/machines.ts';
import { mcp } from './spec-examples/mcp.ts';
import { orders } from './spec-examples/orders.ts';
import type { Walk } from './spec-examples/walk.ts';

describe('the specification’s calls, sent as they are written', () => {
  let walk: Walk;
  before(async () => {
    // The agent's own server answers workspace requests and webhooks alike.
    const receiver = await openReceiver((response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ deliverable_url: 'https://example.com/croissant.png', deliverable_media_type: 'image' }));
    });
    const market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
    const [base, solana, alt] = await Promise.all([
      openBuyer(market, 'base-mainnet', 200_000_000n),
      openBuyer(market, 'solana-mainnet', 200_000_000n),
      openBuyer(market, 'alt-mainnet', 200_000_000n),
    ]);
    walk = {
      market,
      url: market.url,
      receiver,
      token: await tokenFor(market.url, { email: 'otto@example.com', name: 'Otto' }),
      owner: solanaWallet(),
      buyers: { base, solana, alt },
      agent: { id: '', key: '' },
      services: { fixed: '', quote: '', weekly: '' },
      orders: { plain: '', quoted: '', revised: '', disputed: '', cancelled: '', workspace: '' },
      uploaded: '',
      bounty: { id: '', claim: '' },
    };
  });
  after(async () => {
    await walk.market.close();
    await walk.receiver.close();
  });

  for (const { section, written, status = 200, send, keep } of [...agents, ...orders, ...machines, ...bounties, ...earn, ...mcp]) {
    test(`${section}: ${written}`, async () => {
      const reply = await send(walk);
      assert.equal(reply.status, status, JSON.stringify(reply.body));
      keep?.(walk, reply.body['data']);
    });
  }
});
