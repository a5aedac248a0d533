/** Every setting of the service. Parsing, defaults and `.env.example` come from this list. */
import { isIP } from 'node:net';
import { parseUsd } from '@market/contract';
import { z } from 'zod';
import { localPortSettings, nodeSettings } from './network-settings.ts';
import { commaList, port, type Setting, webAddress } from './setting-schemas.ts';

const origin = z.url({ protocol: /^https?$/, error: 'must hold http or https origins' }).transform((value) => new URL(value).origin);

const wholeNumber = (least: number, most: number) =>
  z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

const masterKey = z.string().transform((value, context) => {
  const key = /^[0-9a-fA-F]{64}$/.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
  if (key.length === 32) return key;
  context.addIssue({ code: 'custom', message: 'must be 32 bytes as 64 hex characters or base64 (openssl rand -hex 32)' });
  return z.NEVER;
});

const databaseUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgresql://');

const usdMicros = z.string().transform((value, context) => {
  const micros = parseUsd(value);
  if (micros !== undefined) return micros;
  context.addIssue({ code: 'custom', message: 'must be an amount in USD such as 1000 or 0.50' });
  return z.NEVER;
});

/** fastify's trustProxy takes addresses, CIDR ranges and these words. */
const proxyRange = z.string().refine((value) => {
  const [address = '', bits] = value.split('/');
  const words = ['loopback', 'linklocal', 'uniquelocal'];
  return words.includes(value) || (isIP(address) !== 0 && (bits === undefined || /^\d{1,3}$/.test(bits)));
}, 'must hold IP addresses, CIDR ranges, or loopback, linklocal, uniquelocal');

export const settings = {
  MARKET_PROFILE: {
    about: 'sandbox brings development helpers and local chains; production refuses them. Default: sandbox, unless an RPC address is set.',
    section: 'Service',
    schema: z.enum(['sandbox', 'production'], 'must be sandbox or production').optional(),
    example: 'sandbox',
  },
  HOST: { about: 'Address to listen on.', section: 'Service', schema: z.string().min(1).default('127.0.0.1') },
  PORT: { about: 'Port to listen on; 0 picks a free one.', section: 'Service', schema: port.default(4020) },
  BASE_URL: {
    about: 'Public address of the API. Default: where the service listens.',
    section: 'Service',
    schema: webAddress.optional(),
    example: 'https://api.example.com',
  },
  APP_URL: {
    about: 'Public address of the site and of MCP. Default: BASE_URL.',
    section: 'Service',
    schema: webAddress.optional(),
    example: 'https://app.example.com',
  },
  SERVICE_NAME: {
    about: 'Name shown on pages and in documents.',
    section: 'Service',
    schema: z.string().trim().min(1, 'must not be empty').max(40, 'must be at most 40 characters').default('Mercato'),
  },
  SECURITY_CONTACT: {
    about:
      'Contact for security reports, in /.well-known/security.txt: a mailto: or https: address. Default: security@ the host of APP_URL.',
    section: 'Service',
    schema: z.url({ protocol: /^(https|mailto)$/, error: 'must be a mailto: or https: address' }).optional(),
    example: 'mailto:security@market.example',
  },
  DATA_DIR: {
    about: 'Folder for the embedded database, uploads, chain state and development keys.',
    section: 'Data',
    schema: z.string().min(1).default('.data'),
  },
  DATABASE_URL: {
    about: 'PostgreSQL 15 or newer, or a pooler before it. Default: an embedded PostgreSQL in DATA_DIR.',
    section: 'Data',
    schema: databaseUrl.optional(),
    example: 'postgresql://market:secret@localhost:5432/market',
  },
  DATABASE_DIRECT_URL: {
    about:
      'Direct address of PostgreSQL, if DATABASE_URL is a pooler in transaction mode (pgbouncer). Each process listens there on one connection. ' +
      'Default: DATABASE_URL; if it passes no notifications on, the service polls for changes.',
    section: 'Data',
    schema: databaseUrl.optional(),
    example: 'postgresql://market:secret@localhost:5432/market',
  },
  DATABASE_POOL_SIZE: {
    about: 'Connections this process may open. Default: eight per processor, at least 20 and at most 80.',
    section: 'Data',
    schema: z.coerce.number('must be a whole number').int('must be a whole number').min(2, 'must be at least 2').max(500).optional(),
    example: '20',
  },
  STORAGE_S3_ENDPOINT: {
    about: 'S3 endpoint for uploaded files, without the bucket. Default: the folder uploads in DATA_DIR. Required with several machines.',
    section: 'Data',
    schema: webAddress.optional(),
    example: 'https://s3.example.com',
  },
  STORAGE_S3_BUCKET: {
    about: 'S3 bucket. It must not be public: this service serves the files and checks access.',
    section: 'Data',
    schema: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be a bucket name')
      .optional(),
    example: 'market-files',
  },
  STORAGE_S3_REGION: { about: 'S3 region.', section: 'Data', schema: z.string().min(1).default('us-east-1') },
  STORAGE_S3_ACCESS_KEY: { about: 'S3 access key.', section: 'Data', schema: z.string().min(1).optional(), example: '' },
  STORAGE_S3_SECRET_KEY: { about: 'S3 secret key.', section: 'Data', schema: z.string().min(1).optional(), example: '' },
  UPLOAD_QUOTA_AGENT_MIB: {
    about: 'MiB of uploaded files that one agent may store.',
    section: 'Data',
    schema: wholeNumber(1, 1_000_000_000).default(5_120),
  },
  UPLOAD_QUOTA_AGENT_FILES: {
    about: 'Uploaded files that one agent may store.',
    section: 'Data',
    schema: wholeNumber(1, 100_000_000).default(10_000),
  },
  UPLOAD_QUOTA_ACCOUNT_MIB: {
    about: 'MiB of uploaded files that one account or wallet may store, the uploads of its agents included.',
    section: 'Data',
    schema: wholeNumber(1, 1_000_000_000).default(20_480),
  },
  UPLOAD_QUOTA_ACCOUNT_FILES: {
    about: 'Uploaded files that one account or wallet may store, the uploads of its agents included.',
    section: 'Data',
    schema: wholeNumber(1, 100_000_000).default(40_000),
  },
  MASTER_KEY: {
    about: 'Seals API keys and other secrets: 32 bytes as hex or base64. Required in production; the sandbox makes one in DATA_DIR.',
    section: 'Data',
    schema: masterKey.optional(),
    example: '(openssl rand -hex 32)',
  },
  MASTER_KEYS_OLD: {
    about: 'Former master keys, comma separated. They only decrypt.',
    section: 'Data',
    schema: commaList.pipe(z.array(masterKey)).default([]),
    example: '',
  },
  IDP_ISSUER: {
    about: 'Issuer of the OpenID identity provider. The sandbox brings its own.',
    section: 'Identity',
    schema: webAddress.optional(),
    example: 'https://id.example.com',
  },
  IDP_AUDIENCE: {
    about: 'Audience a sign-in token must name.',
    section: 'Identity',
    schema: z.string().min(1).optional(),
    example: 'market',
  },
  IDP_CLIENT_ID: {
    about:
      'Client id of the site at the provider: a public client with PKCE whose endpoints are at the issuer’s origin. Without it pages offer wallets only.',
    section: 'Identity',
    schema: z.string().min(1).optional(),
    example: 'market-site',
  },
  IDP_JWKS_URI: {
    about: 'Where the provider publishes its keys. Default: read from the issuer’s discovery document.',
    section: 'Identity',
    schema: webAddress.optional(),
    example: 'https://id.example.com/jwks',
  },
  IDP_ALGORITHMS: {
    about: 'Signature algorithms accepted on sign-in tokens, asymmetric only.',
    section: 'Identity',
    schema: commaList
      .pipe(
        z
          .array(
            z.enum(
              ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA'],
              'must hold asymmetric JWS algorithms such as ES256',
            ),
          )
          .min(1, 'must name at least one algorithm'),
      )
      .default(['RS256', 'ES256']),
  },
  ADMIN_EMAILS: {
    about: 'Accounts that may administer, by verified e-mail, comma separated.',
    section: 'Identity',
    schema: commaList.default([]),
    example: 'ops@example.com',
  },
  ...nodeSettings,
  TREASURY_SOLANA_KEY: {
    about:
      'Secret key of the Solana treasury (base58, or a JSON array of 64 bytes), or file: and the path of a file that holds it. The sandbox makes its own.',
    section: 'Chains',
    schema: z.string().min(6, 'is too short for a key').optional(),
    example: 'file:/run/secrets/treasury-solana',
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
      'Secret key that pays the fees of standard x402 payments on Solana; not the treasury. Without it, Solana accepts no standard payments. The sandbox makes its own.',
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
      'How long a request waits for a payment that is in a block but not final enough, before it answers with Retry-After. 0 never waits.',
    section: 'Chains',
    schema: z.coerce
      .number('must be a number of seconds')
      .int('must be whole seconds')
      .min(0, 'must be 0-40')
      .max(40, 'must be 0-40')
      .default(15),
  },
  PAYMENT_WAIT_REQUESTS: {
    about: 'Requests that may wait for a payment at the same time; further ones get an answer at once. At most a quarter of MAX_REQUESTS.',
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
      'The most USDC that may be signed for payouts and refunds within an hour, all networks together. Transfers above it stay queued.',
    section: 'Chains',
    schema: usdMicros.refine((micros) => micros > 0n, 'must be above 0').default(25_000_000_000n),
    example: '25000',
  },
  OUTFLOW_FLOAT_USD: {
    about: 'The most USDC that may be signed and not yet confirmed at one time, all networks together. Transfers above it stay queued.',
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
  ...localPortSettings,
  SANDBOX_DEMO: {
    about:
      'Demo agents, orders and two sample agents that answer, made once per database. Default: on in the sandbox. Refused in production.',
    section: 'Operation',
    schema: z.enum(['on', 'off'], 'must be on or off').optional(),
    example: 'on',
  },
  CORS_ORIGINS: {
    about: 'Origins of other sites that may call with cookies, comma separated. APP_URL always may.',
    section: 'Network',
    schema: commaList.pipe(z.array(origin)).default([]),
    example: 'https://partner.example.com',
  },
  TRUSTED_PROXIES: {
    about: 'Proxies whose X-Forwarded-For is trusted: addresses or CIDR ranges, comma separated. Default: none.',
    section: 'Network',
    schema: commaList.pipe(z.array(proxyRange)).default([]),
    example: '10.0.0.0/8',
  },
  OUTBOUND_ALLOW: {
    about: 'Private hosts that outbound calls may reach, for development. Refused in production.',
    section: 'Network',
    schema: commaList.default([]),
    example: '127.0.0.1',
  },
  RATE_LIMIT_SCALE: {
    about: 'Multiplies every rate limit; 1 keeps the published numbers.',
    section: 'Network',
    schema: z.coerce.number('must be a number').positive('must be above 0').max(1_000_000).default(1),
  },
  MAX_CONNECTIONS: {
    about: 'Open HTTP connections of this process. Above it, idle ones are closed and new ones get 503 with Retry-After.',
    section: 'Network',
    schema: z.coerce
      .number('must be a whole number')
      .int('must be a whole number')
      .min(10, 'must be at least 10')
      .max(100_000)
      .default(8_000),
  },
  MAX_REQUESTS: {
    about:
      'Requests this process handles at once. Further ones get 503 with Retry-After, except health checks and half as many payments again.',
    section: 'Network',
    schema: z.coerce
      .number('must be a whole number')
      .int('must be a whole number')
      .min(2, 'must be at least 2')
      .max(100_000)
      .default(1_000),
  },
  MAX_EVENT_LOOP_DELAY_MS: {
    about: 'Event loop delay, averaged over about a second, above which requests get 503 with Retry-After. 0 disables the check.',
    section: 'Network',
    schema: z.coerce.number('must be a number of milliseconds').int('must be a whole number').min(0, 'must not be negative').default(1_000),
  },
  READY_ANSWERS_MB: {
    about: 'Memory for finished answers to signed-out callers, in megabytes. They are dropped when their data changes. 0 keeps none.',
    section: 'Network',
    schema: z.coerce.number('must be a whole number').int('must be a whole number').min(0, 'must not be negative').max(4_096).default(48),
  },
  SIGNATURE_CHECKS_PER_MINUTE: {
    about: 'Signatures of contract wallets (ERC-1271, ERC-6492) that one client address may have checked on chain per minute.',
    section: 'Network',
    schema: z.coerce.number('must be a whole number').int('must be a whole number').min(1, 'must be at least 1').default(60),
  },
  FAILED_KEYS_PER_MINUTE: {
    about: 'Wrong API keys that one client address may try per minute.',
    section: 'Network',
    schema: z.coerce.number('must be a whole number').int('must be a whole number').min(1, 'must be at least 1').default(60),
  },
  PAYOUT_CHANGE_DELAY_HOURS: {
    about:
      'How long a changed payout address waits before it takes effect, unless the owner’s wallet signed the change. The owner can cancel it meanwhile.',
    section: 'Operation',
    schema: z.coerce.number('must be a number of hours').min(0, 'must be 0 or more').max(720, 'must be at most 720').default(24),
  },
  EVENT_STREAMS_PER_ADDRESS: {
    about: 'Event streams and waiting event reads that one client address may hold open on this process.',
    section: 'Network',
    schema: wholeNumber(1, 100_000).default(100),
  },
  LOG_LEVEL: {
    about: 'Least severe log line written.',
    section: 'Operation',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a log level such as info').default('info'),
  },
  LOG_FORMAT: {
    about: 'json for machines, pretty for people, auto = pretty on a terminal.',
    section: 'Operation',
    schema: z.enum(['auto', 'json', 'pretty'], 'must be auto, json or pretty').default('auto'),
  },
  JOBS: {
    about: 'on: this process also runs background jobs. off: it only answers requests.',
    section: 'Operation',
    schema: z.enum(['on', 'off'], 'must be on or off').default('on'),
  },
  CRASH_AT: {
    about: 'Ends the process at a marked place, for fault tests. Refused in production.',
    section: 'Operation',
    schema: z
      .string()
      .regex(/^[a-z0-9_.]+(:\d+)?$/, 'must be a place such as payout.after_sign')
      .optional(),
    example: '',
  },
  METRICS_TOKEN: {
    about: 'Bearer token for /metrics. Without one, /metrics answers only callers on this machine.',
    section: 'Operation',
    schema: z.string().min(16, 'must be at least 16 characters').optional(),
    example: '(openssl rand -hex 24)',
  },
} as const satisfies Record<string, Setting>;
