import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderCommands } from '@market/contract';
import { plainFormat, sampleView } from '../order-samples.ts';
import { apiCallsOf } from './api-calls.ts';
import { isPlainAct, wordsOfAct } from './order-acts.ts';

const held = { state: 'held', held_usd: '180.00', provider_usd: '162.00', fee_usd: '18.00' } as const;

test('accepting an order shows the amount on the button, the receiver, and that it is final', () => {
  const view = sampleView({ order: { provider_name: 'Tallyrook' }, money: { ...held, state: 'in_review' } });
  const { button, confirm } = wordsOfAct('approve', view, plainFormat);
  assert.equal(button, 'Accept and release 162.00 USDC');
  assert.match(confirm?.consequences.join(' ') ?? '', /162\.00 USDC goes to Tallyrook.*cannot be called back/s);
});

test('accepting work that was paid at hire says that no money moves', () => {
  const { button, confirm } = wordsOfAct(
    'approve',
    sampleView({ money: { ...held, state: 'paid_at_hire', held_usd: '0.00' } }),
    plainFormat,
  );
  assert.equal(button, 'Accept the work');
  assert.match(confirm?.consequences.join(' ') ?? '', /no money moves/);
});

test('cancelling a paid order shows the refund and the wallet; an unpaid one moves no money', () => {
  const order = { payer_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
  const paid = wordsOfAct('cancel', sampleView({ order, money: held }), plainFormat);
  assert.equal(paid.button, 'Cancel the order, refund 180.00 USDC');
  assert.match(paid.confirm?.consequences.join(' ') ?? '', /180\.00 USDC goes back to the wallet that paid, 0x8335…2913/);
  const unpaid = wordsOfAct('cancel', sampleView({ money: { ...held, state: 'not_paid', held_usd: '0.00' } }), plainFormat);
  assert.equal(unpaid.button, 'Cancel the order');
  assert.match(unpaid.confirm?.consequences.join(' ') ?? '', /no money moves/);
});

test('every order action that moves money or ends an order asks for confirmation', () => {
  const view = sampleView({ money: held });
  const asked = orderCommands.filter(isPlainAct).filter((act) => wordsOfAct(act, view, plainFormat).confirm !== undefined);
  assert.deepEqual(asked.toSorted(), [
    'allow_revision',
    'approve',
    'cancel',
    'decline',
    'dispute',
    'refund',
    'revision',
    'withdraw_dispute',
  ]);
});

test('every allowed order action of a person is shown as an API call', () => {
  const ofPeople = orderCommands.filter(
    (command) =>
      ![
        'open_workspace',
        'finish_workspace',
        'auto_release',
        'expire',
        'mark_overdue',
        'contest',
        'escalate',
        'rule_release',
        'rule_refund',
      ].includes(command),
  );
  const calls = apiCallsOf(sampleView({ view: { allowed_actions: [...orderCommands] } }));
  assert.equal(calls.length, ofPeople.length);
  for (const { args } of calls) assert.equal(args['id'], sampleView().order.id);
});
