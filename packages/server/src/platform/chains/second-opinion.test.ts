import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chain, ChainUnavailable, type Finality, type Receipt, type ReceiptReading } from './chain.ts';
import { withSecondOpinion } from './second-opinion.ts';

const receipt: Receipt = {
  reference: '0xabc',
  receivedMicros: 2_000_000_000n,
  payers: [{ address: 'payer', micros: 2_000_000_000n }],
  notes: [],
  sender: 'payer',
  blockNumber: 7n,
  blockTime: new Date('2026-11-15T12:00:00Z'),
  finality: 'final',
};
const landed = (change: Partial<Receipt> = {}): ReceiptReading => ({ state: 'landed', receipt: { ...receipt, ...change } });

/** A node that knows only one transaction and counts the calls. */
function node(reading: ReceiptReading, requireIdentity = async () => {}): Chain & { asked: number } {
  const chain = {
    network: 'base-mainnet',
    asked: 0,
    async readReceipt() {
      chain.asked += 1;
      return reading;
    },
    requireIdentity,
  };
  return chain as unknown as Chain & { asked: number };
}

const ask = (first: Chain, second: Chain) => withSecondOpinion(first, second, 1_000_000_000n).readReceipt('0xabc');

test('a large payment counts when both nodes agree', async () => {
  assert.deepEqual(await ask(node(landed()), node(landed())), landed());
});

const lies: [string, ReceiptReading][] = [
  ['does not know it', { state: 'missing' }],
  ['says it failed', { state: 'failed' }],
  ['names another amount', landed({ receivedMicros: 1_999_999_999n })],
  ['names another payer', landed({ payers: [{ address: 'thief', micros: 2_000_000_000n }] })],
  ['names another block', landed({ blockNumber: 8n })],
];
for (const [what, other] of lies) {
  test(`a large payment is not accepted when the second node ${what}`, async () => {
    await assert.rejects(ask(node(landed()), node(other)), ChainUnavailable);
  });
}

test('the lower finality of two agreeing nodes counts', async () => {
  for (const [one, two] of [
    ['final', 'confirmed'],
    ['seen', 'final'],
  ] as [Finality, Finality][]) {
    const reading = await ask(node(landed({ finality: one })), node(landed({ finality: two })));
    assert.equal(reading.state === 'landed' && reading.receipt.finality, one === 'final' ? two : one);
  }
});

test('a small payment needs no second node', async () => {
  const second = node({ state: 'missing' });
  await ask(node(landed({ receivedMicros: 999_999_999n })), second);
  assert.equal(second.asked, 0);
});

test('a second node that is down at the start blocks no start, and must pass its identity check before it counts', async () => {
  let isDown = true;
  let proofs = 0;
  const second = node(landed(), async () => {
    proofs += 1;
    if (isDown) throw new ChainUnavailable('base-mainnet', 'down');
  });
  const both = withSecondOpinion(node(landed()), second, 1_000_000_000n);
  await both.requireIdentity();
  await assert.rejects(both.readReceipt('0xabc'), ChainUnavailable);
  assert.equal(second.asked, 0);
  isDown = false;
  for (let i = 0; i < 2; i++) assert.deepEqual(await both.readReceipt('0xabc'), landed());
  assert.equal(proofs, 3);
});

test('a second node of another network is refused at the start', async () => {
  const stranger = node(landed(), async () => {
    throw new Error('serves another network');
  });
  await assert.rejects(withSecondOpinion(node(landed()), stranger, 0n).requireIdentity(), /another network/);
});
