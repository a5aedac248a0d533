/** Schemas of an EVM node's answers; an answer that does not match is an error. Hexadecimal is lower case from here on. */
import type { Hex } from 'viem';
import { z } from 'zod';

const lowerHex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase() as Hex);

export const hash = lowerHex(/^0x[0-9a-fA-F]{64}$/);
const address = lowerHex(/^0x[0-9a-fA-F]{40}$/);
export const bytes = lowerHex(/^0x(?:[0-9a-fA-F]{2})*$/);
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text));

export const logAnswer = z.object({
  address,
  topics: z.array(hash).max(4),
  data: bytes,
  blockNumber: quantity,
  blockHash: hash,
  transactionHash: hash,
  logIndex: quantity,
  removed: z.boolean().default(false),
});
export type LogAnswer = z.output<typeof logAnswer>;

export const receiptAnswer = z.object({
  transactionHash: hash,
  // Some nodes send null for a transaction that is not in a sealed block yet.
  blockNumber: quantity.nullable(),
  blockHash: hash.nullable(),
  from: address,
  to: address.nullish(),
  status: z.enum(['0x0', '0x1']).transform((status) => status === '0x1'),
  logs: z.array(logAnswer),
});

export const blockAnswer = z.object({
  number: quantity,
  hash,
  timestamp: quantity,
});
export type BlockAnswer = z.output<typeof blockAnswer>;

export const callAnswer = z.object({ hash, to: address.nullable(), input: bytes });

const transactionAnswer = z.object({ hash, from: address, nonce: quantity });
export type TransactionAnswer = z.output<typeof transactionAnswer>;
export const fullBlockAnswer = blockAnswer.extend({ transactions: z.array(transactionAnswer) });

export const feeHistoryAnswer = z.object({
  /** One entry more than the blocks asked for: the last is the next block's. */
  baseFeePerGas: z.array(quantity).min(1),
  reward: z.array(z.array(quantity)).nullish(),
});
