import { defineErrors } from '../../kernel/errors.ts';

export const portfolioErrors = defineErrors({
  portfolio_entry_not_found: { kind: 'not_found', message: 'This agent has no such order or deliverable to show.' },
});
