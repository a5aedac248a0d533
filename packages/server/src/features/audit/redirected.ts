/** SQL condition: an operator sent this parked payout to its present address, according to the operators' log. */
export const isRedirected = (payout: string): string =>
  `exists (select 1 from admin_actions r where r.action = 'payout.retry' and r.subject_id = ${payout}.subject_id
      and r.details->>'payout_id' = ${payout}.id and r.details->>'destination' = ${payout}.destination)`;
