import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHistory, type History } from './history.ts';

function land(history: History, name: string, slot: number, addresses: readonly string[] = ['program', name]): void {
  history.add({ signature: name, slot, blockTime: slot, error: null, memo: null, addresses, position: { offset: 0, length: 0 } });
}

const signatures = (entries: readonly { readonly signature: string }[]) => entries.map((entry) => entry.signature);

describe('the history in memory', () => {
  it('the Solana history in memory drops the oldest entries beyond its limit and reports the slot from which it is complete', () => {
    const history = createHistory(100);
    for (let slot = 1; slot <= 1000; slot++) land(history, `s${slot}`, slot);
    assert.ok(history.listForAddress('program').length <= 110);
    assert.equal(history.find('s1'), undefined);
    assert.deepEqual(history.listForAddress('s1'), []);
    assert.equal(history.find('s1000')?.slot, 1000);
    assert.equal(history.count(), 1000);
    const first = history.firstAvailableSlot();
    assert.deepEqual(signatures(history.listAtSlot(first)), [`s${first}`]);
    assert.deepEqual(history.listAtSlot(first - 1), []);
  });

  it('the Solana history removes exactly the transactions that landed after a slot', () => {
    const history = createHistory();
    land(history, 'a', 5);
    land(history, 'b', 6, ['program', 'program', 'b']);
    land(history, 'c', 8);
    assert.deepEqual(signatures(history.dropAfter(5)), ['b', 'c']);
    assert.deepEqual(signatures(history.listForAddress('program')), ['a']);
    assert.equal(history.find('c'), undefined);
    assert.equal(history.count(), 1);
    const next = history.nextSequence();
    land(history, 'c', 9);
    assert.deepEqual(signatures(history.listSince(next)), ['c']);
    assert.deepEqual(signatures(history.listAtSlot(9)), ['c']);
  });
});
