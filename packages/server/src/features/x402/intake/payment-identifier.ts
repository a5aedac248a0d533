/**
 * The name that a client gives its payment: by the extension `payment-identifier` of version 2, or by an Idempotency-Key. The same name again
 * means the same purchase, even with another payment. Not the official package: it compiles the schema that a client sends along.
 */
import { MarketError } from '@market/contract';
import { z } from 'zod';
import type { Call } from '../../../access/call.ts';
import { isUnguessable } from '../../../platform/idempotency/unguessable.ts';
import type { X402Context } from '../x402-context.ts';
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

/** Finds the purchase of an earlier payment for the same request. */
export interface Identifier {
  /** The first is stored. The others were stored under former master keys. */
  readonly spellings: readonly string[];
  /** Made of an Idempotency-Key, whose scope tells callers apart. It is good for as long as the key. */
  readonly isKeyed: boolean;
  /** Only the first caller can know it. */
  readonly isProof: boolean;
}

/** The client's own name counts first. Without one, an Idempotency-Key names the payment, too. */
export function identifierOf({ secrets }: Pick<X402Context, 'secrets'>, call: Call, presented: PresentedStandard): Identifier | undefined {
  const given = readGiven(presented);
  if (given !== undefined) return { spellings: [given], isKeyed: false, isProof: isUnguessable(given) };
  if (call.keyed === undefined) return undefined;
  // Keyed hashes: a client must not give its payment the name of another caller's key.
  const spellings = secrets.lookupHashes(`payment of ${call.keyed.name}`).map((hash) => hash.toString('base64url'));
  return { spellings, isKeyed: true, isProof: call.keyed.isPrivate };
}

function readGiven({ extensions }: PresentedStandard): string | undefined {
  const extension = extensions[EXTENSION];
  if (extension === undefined || extension === null) return undefined;
  const parsed = given.safeParse(extension);
  if (!parsed.success) throw new MarketError('invalid_payment_identifier');
  return parsed.data.info.id;
}
