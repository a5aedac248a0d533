/** The bodies of a 402, without our envelope: the x402 protocol fixes them. */

import { z } from 'zod';
import { firstVersionNames } from '../kernel/networks.ts';
import { untrustedText } from '../kernel/untrusted-text.ts';
import { paymentRequirement } from './schema.ts';

/** Fields beside the requirement: which text strangers wrote, and why a payment was refused. */
const refusedPayment = {
  untrusted_text: untrustedText.optional(),
  code: z.literal('payment_rejected').optional().describe('A payment came with the request and was refused; nothing was taken'),
  reason: z.string().optional().describe('Why it was refused, as a code'),
};

export const flatChallenge = paymentRequirement
  .extend({ error: z.string().optional().describe('Why the payment that came with the request was refused'), ...refusedPayment })
  .meta({ id: 'FlatChallenge', description: 'What to pay on one network' });

export const listChallenge = z
  .object({
    x402Version: z.literal(1),
    error: z.string().describe('What is missing, or why the payment that came with the request was refused'),
    ...refusedPayment,
    accepts: z.array(paymentRequirement).min(1).describe('Pay one of them'),
  })
  .meta({ id: 'ListChallenge', description: 'What to pay, one requirement per network' });

/** The challenge for `x402Version=1`, on every payable address. */
export const firstVersionChallenge = z
  .object({
    x402Version: z.literal(1),
    error: z.string().optional().describe('Why the payment that came with the request was refused'),
    accepts: z
      .array(
        z
          .object({
            scheme: z.literal('exact'),
            network: z.enum(firstVersionNames),
            maxAmountRequired: z.string().regex(/^\d+$/).describe('Micro-USDC: 5.50 USD is 5500000'),
            resource: z.string(),
            description: z.string(),
            mimeType: z.string(),
            payTo: z.string(),
            maxTimeoutSeconds: z.int(),
            asset: z.string().describe('Address of the USDC contract or mint'),
            extra: z.record(z.string(), z.unknown()),
            outputSchema: z.record(z.string(), z.unknown()).describe('How to call the address'),
          })
          .meta({ id: 'FirstVersionRequirement' }),
      )
      .describe('Pay one of them'),
  })
  .meta({ id: 'FirstVersionChallenge', description: 'The 402 to the letter of x402 version 1' });
