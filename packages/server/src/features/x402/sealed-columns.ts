/** The columns of this feature that hold sealed secrets. */
import type { SealedColumn } from '../../platform/secrets/reseal.ts';
import { sealedHireFor } from './hire/hired-order.ts';
import type { StoredTokens } from './hire/order-tokens.ts';
import { sealedRegistrationFor, sealedRequestFor } from './registration/registered-agent.ts';

export const sealedPaymentColumns: readonly SealedColumn[] = [
  {
    table: 'x402_purchases',
    keys: ['caip2', 'reference'],
    column: 'sealed_answer',
    needs: ['subject_id', 'purpose'],
    contextOf: ({ subject_id: id = '', purpose }) => (purpose === 'x402' ? sealedHireFor(id) : sealedRegistrationFor(id)),
    lookupsOf(answer) {
      const { tokens, read_token: acting, readers_token: reading } = JSON.parse(answer) as StoredTokens;
      return [tokens?.buyer, tokens?.read, tokens?.presenter, acting, reading]
        .filter((token) => typeof token === 'string')
        .map((token) => ({ table: 'order_tokens', column: 'token_hash', value: token }));
    },
  },
  {
    table: 'x402_payments',
    keys: ['caip2', 'alias'],
    column: 'request',
    jsonKey: 'sealed',
    needs: ['subject_id', 'purpose'],
    contextOf: ({ subject_id: id = '', purpose }) => (purpose === 'registration' ? sealedRequestFor(id) : undefined),
  },
];
