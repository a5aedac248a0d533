import { defineErrors } from '../kernel/errors.ts';

export const spendingErrors = defineErrors({
  spend_refused: { kind: 'forbidden', message: 'A spend policy refuses this payment. The owner can change the policy.' },
  spending_frozen: { kind: 'forbidden', message: 'The owner froze this spending. Nothing was paid.' },
  approval_required: { kind: 'forbidden', message: 'A person must approve this payment first.' },
  payment_under_way: {
    kind: 'conflict',
    message: 'Another call is paying with this transfer or signed payment. Repeat that call, or wait until it has ended.',
  },
  budget_session_unusable: { kind: 'conflict', message: 'This budget session cannot pay for this call.' },
  budget_only_shrinks: { kind: 'bad_request', message: 'The amount and the expiry of a budget session only go down.' },
  too_many_budgets: { kind: 'bad_request', message: 'Too many budget sessions are open. Close one first.' },
  spend_subject_not_found: { kind: 'not_found', message: 'There is no such agent, connection or account of yours.' },
  approval_not_found: { kind: 'not_found', message: 'There is no such approval.' },
  approval_decided: { kind: 'conflict', message: 'This approval was decided or has expired.' },
  budget_not_found: { kind: 'not_found', message: 'There is no such budget session of yours.' },
});

/** Codes with which every call that pays may be refused. */
export const spendRefusals = [
  'price_changed',
  'spend_refused',
  'spending_frozen',
  'approval_required',
  'payment_under_way',
  'budget_session_unusable',
] as const;
