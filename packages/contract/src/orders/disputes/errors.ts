import { defineErrors } from '../../kernel/errors.ts';

export const disputeErrors = defineErrors({
  dispute_not_found: { kind: 'not_found', message: 'This order has never been disputed.' },
  dispute_closed: { kind: 'bad_request', message: 'This dispute is closed.' },
  evidence_time_over: { kind: 'bad_request', message: 'The time to state your case is over; the ruling is next.' },
  too_many_statements: { kind: 'bad_request', message: 'Your side has made as many statements as a dispute takes.' },
  conflict_of_interest: { kind: 'forbidden', message: 'You are a party to this order. Another administrator must rule.' },
});
