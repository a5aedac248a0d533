import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnderWay, type PayEvent, type PayPhase, type PayState, type PayTrouble, payPhases, step } from './pay-machine.ts';

const funds = { usdcBalance: '412.80', missingUsd: '0.00', missingNative: '0', feeNative: '650' };
const poor = { ...funds, missingUsd: '12.00' };
const noGas = { ...funds, missingNative: '1' };

/** A state in each phase, as the machine makes it. */
const before = { walletId: 'evm:a', address: '0xA' };
const after = { ...before, funds, reference: '0xhash' };
const states: Readonly<Record<PayPhase, PayState>> = {
  idle: { phase: 'idle' },
  choosing: { phase: 'choosing' },
  connecting: { phase: 'connecting', walletId: 'evm:a' },
  checking: { phase: 'checking', ...before },
  short: { phase: 'short', ...before, funds: poor },
  ready: { phase: 'ready', ...before, funds },
  wrong_network: { phase: 'wrong_network', ...before, funds },
  signing: { phase: 'signing', ...before, funds },
  sent: { phase: 'sent', ...after },
  confirming: { phase: 'confirming', ...after, confirmations: 1, required: 3 },
  submitting: { phase: 'submitting', ...after, confirmations: 3, required: 3 },
  verified: { phase: 'verified', ...after },
  done: { phase: 'done', ...after },
  unsure: { phase: 'unsure', ...before },
  failed: { phase: 'failed', ...before, trouble: 'refused' },
};

const events: Readonly<Record<PayEvent['type'], PayEvent>> = {
  open: { type: 'open' },
  choose: { type: 'choose' },
  connect: { type: 'connect', walletId: 'evm:b' },
  connected: { type: 'connected', address: '0xB' },
  checked: { type: 'checked', funds },
  check_again: { type: 'check_again' },
  wrong_network: { type: 'wrong_network' },
  ask_signature: { type: 'ask_signature' },
  sent: { type: 'sent', reference: '0xhash' },
  progress: { type: 'progress', confirmations: 2, required: 3 },
  submit: { type: 'submit' },
  verified: { type: 'verified', late: false },
  finish: { type: 'finish' },
  unanswered: { type: 'unanswered' },
  fail: { type: 'fail', trouble: 'unreachable' },
  start_over: { type: 'start_over' },
};

/** Every phase and event with an effect; any other combination must change nothing. */
const turning = {
  choose: 'choosing',
  connect: 'connecting',
  connected: 'checking',
  sent: 'sent',
  fail: 'failed',
  unanswered: 'unsure',
} as const;
const forward = { progress: 'confirming', submit: 'submitting', verified: 'verified', fail: 'failed' } as const;
const expected: Readonly<Record<PayPhase, Partial<Record<PayEvent['type'], PayPhase>>>> = {
  idle: { open: 'choosing', connect: 'connecting', sent: 'sent', unanswered: 'unsure' },
  choosing: { connect: 'connecting', connected: 'checking', sent: 'sent', unanswered: 'unsure', fail: 'failed' },
  connecting: turning,
  checking: { ...turning, checked: 'ready' },
  short: { ...turning, check_again: 'checking', checked: 'ready' },
  ready: { ...turning, check_again: 'checking', checked: 'ready', wrong_network: 'wrong_network', ask_signature: 'signing' },
  wrong_network: { ...turning, ask_signature: 'signing' },
  signing: { sent: 'sent', fail: 'failed', unanswered: 'unsure' },
  sent: forward,
  confirming: forward,
  submitting: forward,
  verified: { finish: 'done' },
  done: {},
  unsure: { sent: 'sent', start_over: 'choosing' },
  failed: { choose: 'choosing', connect: 'connecting', check_again: 'checking', sent: 'sent', fail: 'failed' },
};

test('each state of a payment accepts exactly the events of the table; all others change nothing', () => {
  for (const phase of payPhases)
    for (const event of Object.values(events)) {
      const next = step(states[phase], event);
      const wanted = expected[phase][event.type];
      if (wanted === undefined) assert.equal(next, states[phase], `${phase} ignores ${event.type}`);
      else assert.equal(next.phase, wanted, `${phase} on ${event.type}`);
    }
});

test('a payment is short with too little USDC or native coin, and ready with enough of both', () => {
  const check = (given: typeof funds): PayPhase => step(states.checking, { type: 'checked', funds: given }).phase;
  assert.deepEqual([check(funds), check(poor), check(noGas)], ['ready', 'short', 'short']);
});

test('after a wallet was asked to pay, no event except starting over leads back to paying', () => {
  const turners = ['choose', 'connect', 'check_again', 'open', 'ask_signature'] as const;
  for (const phase of ['signing', 'sent', 'confirming', 'submitting', 'verified', 'done', 'unsure'] as const) {
    assert.ok(isUnderWay(states[phase]), phase);
    for (const type of turners) assert.equal(step(states[phase], events[type]), states[phase], `${phase} on ${type}`);
  }
});

test('a failed payment keeps its reference, continues on progress, and starts over only if the transaction is useless', () => {
  const over: readonly PayTrouble[] = [
    'reverted',
    'wrong_amount',
    'wrong_receiver',
    'wrong_payer',
    'reserved',
    'too_old',
    'already_used',
    'turned_down',
    'dropped',
  ];
  for (const trouble of ['unreachable', 'chain_unavailable', ...over] as const) {
    const failed = step(states.confirming, { type: 'fail', trouble, message: 'Said.', requestId: 'req_1' });
    assert.deepEqual([failed.reference, failed.trouble, failed.message, failed.requestId], ['0xhash', trouble, 'Said.', 'req_1']);
    for (const type of ['choose', 'connect', 'check_again'] as const)
      assert.equal(step(failed, events[type]), failed, `${trouble} on ${type}`);
    const resumed = step(failed, events.progress);
    assert.deepEqual([resumed.phase, resumed.reference, resumed.trouble], ['confirming', '0xhash', undefined]);
    const anew = step(failed, events.start_over);
    assert.equal(anew.reference, over.includes(trouble) ? undefined : '0xhash', `${trouble} starts over`);
  }
});

test('a wallet changed during the balance check does not keep the other one’s balance', () => {
  const changed = step(states.ready, events.connect);
  assert.deepEqual(changed, { phase: 'connecting', walletId: 'evm:b' });
});
