/**
 * The name a client gives its payment (extension `payment-identifier` of version 2): the same name again is the same purchase, even when
 * it comes with another payment. Written out here: the official package compiles the schema that a client sends along, and loads a compiler for it.
 */
import { MarketError } from '@market/contract';
import { z } from 'zod';
import type { PresentedPayment } from './classify-payment.ts';

const EXTENSION = 'payment-identifier';
const SHORTEST = 16;
const LONGEST = 128;
const PATTERN = '^[a-zA-Z0-9_-]+$';

/** In the challenge: that we take one, and of which form. */
export const paymentIdentifierExtension = {
  [EXTENSION]: {
    info: { required: false },
    schema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: SHORTEST, maxLength: LONGEST, pattern: PATTERN } },
    },
  },
} as const;

/** Who echoes our declaration as it is gives no name. */
const given = z.object({ info: z.object({ id: z.string().min(SHORTEST).max(LONGEST).regex(new RegExp(PATTERN)).optional() }) });

export function identifierOf({ extensions }: Extract<PresentedPayment, { kind: 'standard' }>): string | undefined {
  const extension = extensions[EXTENSION];
  if (extension === undefined || extension === null) return undefined;
  const parsed = given.safeParse(extension);
  if (!parsed.success) throw new MarketError('invalid_payment_identifier');
  return parsed.data.info.id;
}
