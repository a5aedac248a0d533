/** The settings of chains: nodes, keys, outgoing money, payments and the sandbox's own chains. */
import { z } from 'zod';
import { earnSettings } from './earn-settings.ts';
import { localPortSettings, nodeSettings } from './network-settings.ts';
import { commaList, port, type Setting, usdMicros, webAddress } from './setting-schemas.ts';

export const chainSettings = {
  ...nodeSettings,
  TREASURY_SOLANA_KEY: {
    about:
      'Secret key of the Solana treasury (base58, or a JSON array of 64 bytes), or file: and the path of a file that holds it. The sandbox makes its own.',
    section: 'Chains',
    schema: z.string().min(6, 'is too short for a key').optional(),
    example: 'file:/run/secrets/treasury-solana',
  },
  CREATOR_FEE_KEY: {
    about:
      'Secret key of the Solana wallet that receives trading fees of agents’ tokens, in the forms of TREASURY_SOLANA_KEY. It needs a little SOL for network fees. Default: none, no fees are collected; the sandbox makes its own.',
    section: 'Chains',
    schema: z.string().min(6, 'is too short for a key').optional(),
    example: 'file:/run/secrets/creator-fees-solana',
  },
  TOKEN_LAUNCHER: {
    about:
      'What makes the tokens of agents. token2022: a mint whose whole supply the agent’s wallet holds. pump_fun: a coin on pump.fun’s bonding curve, created by that wallet; the sandbox does not have pump.fun.',
    section: 'Chains',
    schema: z.enum(['token2022', 'pump_fun'], 'must be token2022 or pump_fun').default('token2022'),
  },
  TREASURY_EVM_KEY: {
    about:
      'Secret key of the EVM treasury (0x and 64 hex characters), or file: and the path of a file that holds it. The sandbox makes its own.',
    section: 'Chains',
    schema: z.string().min(6, 'is too short for a key').optional(),
    example: 'file:/run/secrets/treasury-evm',
  },
  SPONSOR_SOLANA_KEY: {
    about:
      'Secret key that pays the fees of standard x402 payments and of USDC that leaves agent wallets on Solana; not the treasury. Without it, Solana accepts no standard payments and wallets pay their own fees. The sandbox makes its own.',
    section: 'Chains',
    schema: z.string().min(6, 'is too short for a key').optional(),
    example: 'file:/run/secrets/sponsor-solana',
  },
  SPONSOR_EVM_KEY: {
    about: 'As SPONSOR_SOLANA_KEY, for the EVM networks.',
    section: 'Chains',
    schema: z.string().min(6, 'is too short for a key').optional(),
    example: 'file:/run/secrets/sponsor-evm',
  },
  X402_FACILITATOR_URL: {
    about: 'A remote x402 facilitator that verifies and settles standard payments instead of this process and its sponsor keys.',
    section: 'Chains',
    schema: webAddress.optional(),
    example: 'https://facilitator.example.com',
  },
  X402_FACILITATOR_AUTHORIZATION: {
    about: 'The Authorization header for the remote facilitator.',
    section: 'Chains',
    schema: z.string().min(1).optional(),
    example: 'Bearer (token)',
  },
  X402_SIGNING_KEY: {
    about:
      'Signs x402 offers and receipts (Ed25519): 32 bytes as hex or base64, or file: and the path of a file that holds them. Without it production signs none; the sandbox makes its own.',
    section: 'Chains',
    schema: z.string().min(6, 'is too short for a key').optional(),
    example: 'file:/run/secrets/x402-signing',
  },
  X402_SIGNING_KEYS_OLD: {
    about: 'Former signing keys, comma separated. They sign nothing, but their signatures can still be verified.',
    section: 'Chains',
    schema: commaList.pipe(z.array(z.string().min(6, 'is too short for a key'))).default([]),
    example: '',
  },
  REGISTRATION_PRICE_USD: {
    about: 'Price of a registration by x402 payment.',
    section: 'Chains',
    schema: usdMicros.refine((micros) => micros > 0n, 'must be above 0').default(1_000_000n),
    example: '1.00',
  },
  PAYMENT_FINAL_FROM_USD: {
    about: 'Payments of this amount or more must be final on their chain; smaller ones must be confirmed.',
    section: 'Chains',
    schema: usdMicros.default(1_000_000_000n),
    example: '1000',
  },
  PAYMENT_WAIT_SECONDS: {
    about:
      'How long a request waits for a payment that is in no block yet, or not final enough, before it answers with Retry-After. 0 never waits.',
    section: 'Chains',
    schema: z.coerce
      .number('must be a number of seconds')
      .int('must be whole seconds')
      .min(0, 'must be 0-40')
      .max(40, 'must be 0-40')
      .default(15),
  },
  PAYMENT_WAIT_REQUESTS: {
    about:
      'Requests that may wait for a payment at the same time; further ones get an answer at once. Payments in no block yet have a quarter of the places. At most a quarter of MAX_REQUESTS.',
    section: 'Chains',
    schema: z.coerce.number('must be a whole number').int('must be a whole number').min(1, 'must be at least 1').max(10_000).default(200),
  },
  PAYMENT_CONTEST_MINUTES: {
    about:
      'How long a payment proven only by its public reference is held. Meanwhile the wallet that paid can claim it, and the provider is not paid. 0 pays at once.',
    section: 'Chains',
    schema: z.coerce
      .number('must be a number of minutes')
      .int('must be whole minutes')
      .min(0, 'must be 0-1440')
      .max(1440, 'must be 0-1440')
      .default(15),
  },
  PAYMENT_CONTEST_ABOVE_USD: {
    about: 'Only transfers above this amount are held for PAYMENT_CONTEST_MINUTES.',
    section: 'Chains',
    schema: usdMicros.default(1_000_000n),
    example: '1.00',
  },
  SECOND_OPINION_FROM_USD: {
    about: 'Payments of this amount or more are also checked with the second node, if one is set.',
    section: 'Chains',
    schema: usdMicros.default(1_000_000_000n),
    example: '1000',
  },
  OUTFLOW_HOURLY_USD: {
    about:
      'The most USDC that may be signed for payouts and refunds within an hour, all networks together. Refunds and withdrawals from Earn get at most half of it. Transfers above it stay queued.',
    section: 'Chains',
    schema: usdMicros.refine((micros) => micros > 0n, 'must be above 0').default(25_000_000_000n),
    example: '25000',
  },
  OUTFLOW_FLOAT_USD: {
    about:
      'The most USDC that may be signed and not yet confirmed at one time, all networks together. Several refunds and withdrawals from Earn get at most half of it. Transfers above it stay queued.',
    section: 'Chains',
    schema: usdMicros.refine((micros) => micros > 0n, 'must be above 0').default(10_000_000_000n),
    example: '10000',
  },
  PAYOUT_ACCOUNT_FROM_USD: {
    about:
      'On Solana the treasury opens a missing USDC account of a destination if the payouts waiting for it reach this amount. Smaller payouts are parked.',
    section: 'Chains',
    schema: usdMicros.default(1_000_000n),
    example: '1.00',
  },
  PAYOUT_ACCOUNTS_PER_DESTINATION: {
    about: 'How often within a day the treasury opens the USDC account of one destination.',
    section: 'Chains',
    schema: z.coerce.number('must be a whole number').int('must be a whole number').min(0, 'must not be negative').default(1),
  },
  PAYOUT_ACCOUNTS_SOL_PER_DAY: {
    about: 'The most SOL the treasury pays within a day for opening USDC accounts of destinations.',
    section: 'Chains',
    schema: z.coerce.number('must be an amount of SOL').min(0, 'must not be negative').max(1_000_000).default(0.5),
  },
  SIGNER_URL: {
    about: 'A separate signer (market signer) that holds the treasury keys. Default: this process signs.',
    section: 'Chains',
    schema: webAddress.optional(),
    example: 'https://signer.internal.example.com',
  },
  SIGNER_SECRET: {
    about: 'Secret shared with the signer: it authenticates requests and answers (openssl rand -hex 32).',
    section: 'Chains',
    schema: z.string().min(32, 'must be at least 32 characters').optional(),
    example: '(openssl rand -hex 32)',
  },
  SIGNER_PORT: {
    about: 'Port on which market signer listens, on HOST; 0 picks a free one.',
    section: 'Chains',
    schema: port.default(4030),
  },
  TREASURY_SOLANA_ADDRESS: {
    about: 'Address of the Solana treasury. Needed with SIGNER_URL, when its key is not here.',
    section: 'Chains',
    schema: z.string().min(32, 'is too short for an address').optional(),
    example: '',
  },
  TREASURY_EVM_ADDRESS: {
    about: 'The same for the EVM networks.',
    section: 'Chains',
    schema: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be a 0x address')
      .optional(),
    example: '',
  },
  SANDBOX_CHAINS: {
    about: 'off starts the sandbox without its local chains.',
    section: 'Chains',
    schema: z.enum(['on', 'off', 'fast'], 'must be on, off or fast').default('on'),
  },
  SANDBOX_CHAINS_FOLDER: {
    about: 'Folder of the local chains. A sandbox that names the folder of running chains joins them instead of starting its own.',
    section: 'Chains',
    schema: z.string().min(1).optional(),
    example: '',
  },
  ...earnSettings,
  ...localPortSettings,
} as const satisfies Record<string, Setting>;
