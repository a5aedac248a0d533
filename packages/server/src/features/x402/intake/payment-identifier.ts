/**
 * The name that a client gives its payment (extension `payment-identifier` of version 2). The same name again means the same purchase, even
 * with another payment. Not the official package: it compiles the schema that a client sends along.
 */
import { MarketError } from '@market/contract';
import { z } from 'zod';
import type { PresentedStandard } from './classify-payment.ts';

const EXTENSION = 'payment-identifier';
const SHORTEST = 16;
const LONGEST = 128;
const PATTERN = '^[a-zA-Z0-9_-]+$';

/** Tells clients in the challenge that we take a name, and its form. */
export const paymentIdentifierExtension = {
  [EXTENSION]: {
    info: { required: false },
    schema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: SHORTEST, maxLength: LONGEST, pattern: PATTERN } },
    },
  },
} as const;

/** A client that only echoes our declaration gives no name. */
const given = z.object({ info: z.object({ id: z.string().min(SHORTEST).max(LONGEST).regex(new RegExp(PATTERN)).optional() }) });

export function identifierOf({ extensions }: PresentedStandard): string | undefined {
  const extension = extensions[EXTENSION];
  if (extension === undefined || extension === null) return undefined;
  const parsed = given.safeParse(extension);
  if (!parsed.success) throw new MarketError('invalid_payment_identifier');
  return parsed.data.info.id;
}
