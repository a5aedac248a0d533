/** Words of the page of spending limits. */
import type { Answer } from '../../../data/answers.ts';

type SpendRecord = Answer<'spending.recent'>['data'][number];

export const outcomeWords: Readonly<Record<SpendRecord['outcome'], string>> = {
  kept: 'Paid',
  reserved: 'Under way',
  released: 'Came to nothing',
  refused: 'Refused',
  asked: 'You were asked',
};

export const verdictWords = { allow: 'It would be paid.', refuse: 'It would be refused.', ask: 'You would be asked.' } as const;

const operations: Readonly<Record<string, string>> = {
  'orders.pay': 'Pay an order',
  'orders.place': 'Hire',
  'bounties.accept': 'Accept a claim',
  'earn.deposit': 'Deposit',
  'earn.agentDeposit': 'Deposit',
  'agents.register': 'Register an agent',
};

export function operationWords(operation: string): string {
  return operations[operation] ?? (operation.startsWith('x402.') ? 'Hire' : operation);
}
