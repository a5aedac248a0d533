import { defineErrors } from '../../kernel/errors.ts';

export const feeErrors = defineErrors({
  fees_unavailable: { kind: 'unavailable', message: 'This service collects no creator fees: it has no vault.' },
  fee_vault_empty: { kind: 'bad_request', message: 'No new trading fees arrived in the vault.' },
  fee_share_too_small: { kind: 'bad_request', message: 'The share does not hold this amount.' },
  fee_float_missing: { kind: 'bad_request', message: 'The vault holds no SOL of its own for the network fee. Send it some.' },
  fee_receipt_unknown: { kind: 'not_found', message: 'The vault received no transaction of this name.' },
  fee_receipt_assigned: { kind: 'conflict', message: 'This receipt belongs to a token already.' },
});
