import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreeOnOutcome } from './agree-on-outcome.ts';
import { ChainUnavailable, type Finality, type TransferOutcome } from './chain.ts';

const OPEN: TransferOutcome = { state: 'open' };
const EXPIRED: TransferOutcome = { state: 'expired' };
const FAILED: TransferOutcome = { state: 'failed', reason: 'blacklisted' };
const DOWN = new ChainUnavailable('base-mainnet', 'down');
const landed = (finality: Finality, reference = '0xabc'): TransferOutcome => ({ state: 'landed', reference, finality });

const agreements: [string, TransferOutcome, TransferOutcome | ChainUnavailable, TransferOutcome][] = [
  ['expired needs both', EXPIRED, EXPIRED, EXPIRED],
  ['failed needs both, for whatever reason each gives', FAILED, { state: 'failed', reason: 'frozen' }, FAILED],
  ['expired that the other still waits for is open', EXPIRED, OPEN, OPEN],
  ['failed that the other still waits for is open', FAILED, OPEN, OPEN],
  ['expired here and failed there is open', EXPIRED, FAILED, OPEN],
  ['failed here and expired there is open', FAILED, EXPIRED, OPEN],
  ['open that the other calls expired is open', OPEN, EXPIRED, OPEN],
  ['open that the other calls failed is open', OPEN, FAILED, OPEN],
  ['open needs nobody else', OPEN, DOWN, OPEN],
  ['landed is as final as the less sure one says', landed('final'), landed('confirmed'), landed('confirmed')],
  ['landed is as final as the less sure one says, either way', landed('seen'), landed('final'), landed('seen')],
  ['landed and final for both is final', landed('final'), landed('final'), landed('final')],
  ['landed that the other has not seen is seen', landed('final'), OPEN, landed('seen')],
  ['landed that the other calls expired is seen', landed('final'), EXPIRED, landed('seen')],
  ['landed that the other calls failed is seen', landed('final'), FAILED, landed('seen')],
  ['landed that the other cannot be asked about is seen', landed('final'), DOWN, landed('seen')],
  ['expired that the other saw landing is seen', EXPIRED, landed('final'), landed('seen')],
  ['failed that the other saw landing is seen', FAILED, landed('final'), landed('seen')],
  ['open that the other saw landing is seen', OPEN, landed('final'), landed('seen')],
  ['landed by two different transactions is seen', landed('final'), landed('final', '0xdef'), landed('seen')],
];
for (const [what, first, second, together] of agreements) {
  test(`two nodes: ${what}`, () => {
    assert.deepEqual(agreeOnOutcome(first, second), together);
  });
}

test('two nodes: expired or failed, if the other does not confirm it, is unknown', () => {
  for (const outcome of [EXPIRED, FAILED]) assert.throws(() => agreeOnOutcome(outcome, DOWN), ChainUnavailable);
});
