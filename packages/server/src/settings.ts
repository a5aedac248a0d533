/** Every setting of the service. Parsing, defaults and `.env.example` come from this list. */
import { z } from 'zod';
import { chainSettings } from './settings/chain-settings.ts';
import {
  commaList,
  databaseUrl,
  masterKey,
  origin,
  port,
  proxyRange,
  type Setting,
  usdMicros,
  webAddress,
  wholeNumber,
} from './settings/setting-schemas.ts';

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
  PRICE_SOURCE_URL: {
    about:
      'A DEX aggregator for prices of Solana tokens: GET <address>/<mint>,<mint> answers with pairs (baseToken.address, priceUsd, marketCap, fdv). ' +
      'Default: none, POST /api/market answers 503; the sandbox knows the price of SOL in its own pool.',
    section: 'Service',
    schema: webAddress.optional(),
    example: 'https://api.dexscreener.com/tokens/v1/solana',
  },
  SWAP_AGGREGATOR_URL: {
    about:
      'A swap aggregator for USDC into SOL that speaks like Jupiter Ultra: GET <address>/order and POST <address>/execute. Default: none, swaps answer 503; the sandbox has a pool of its own.',
    section: 'Service',
    schema: webAddress.optional(),
    example: 'https://lite-api.jup.ag/ultra/v1',
  },
  SWAP_AGGREGATOR_KEY: {
    about: 'Sent to the aggregator as x-api-key.',
    section: 'Service',
    schema: z.string().min(1).optional(),
    example: '',
  },
  SWAP_MAX_SLIPPAGE_BPS: {
    about: 'Largest slippage of a quote that is passed on, in hundredths of a percent.',
    section: 'Service',
    schema: z.coerce.number().int().min(1, 'must be 1 to 1000').max(1000, 'must be 1 to 1000').default(100),
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
  MASTER_KEY_COMMAND: {
    about:
      'Instead of MASTER_KEY: a shell command that prints the key, and former keys on further lines, so that a cloud KMS can hold it. Runs once, at the start.',
    section: 'Data',
    schema: z.string().min(1).optional(),
    example: 'aws kms decrypt --ciphertext-blob fileb:///run/secrets/master.enc --query Plaintext --output text',
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
  ADMIN_API_KEY: {
    about: 'Key with which programs of the operators read creator fees and clear tokens: admin_ and at least 32 characters. Default: none.',
    section: 'Identity',
    schema: z
      .string()
      .regex(/^admin_[\x21-\x7e]{32,200}$/, 'must be admin_ followed by at least 32 visible characters')
      .optional(),
    example: 'admin_(openssl rand -hex 24)',
  },
  ...chainSettings,
  SANDBOX_DEMO: {
    about:
      'Demo agents, orders and two sample agents that answer, made once per database. Default: on in the sandbox. Refused in production.',
    section: 'Operation',
    schema: z.enum(['on', 'off'], 'must be on or off').optional(),
    example: 'on',
  },
  MCP_FIXTURES: {
    about: 'Tools, resources and prompts that the MCP conformance suite calls. Refused in production.',
    section: 'Operation',
    schema: z.enum(['on', 'off'], 'must be on or off').default('off'),
    example: 'off',
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
  IPV6_SITE_TIMES: {
    about:
      'IPv6 clients count by their /64. How many times such a limit all clients of one /48 have together, so that hopping between networks ends.',
    section: 'Network',
    schema: wholeNumber(1, 65_536).default(16),
  },
  PAGES_PER_MINUTE: {
    about:
      'Pages that one client address may have made per minute by this process; a page from memory counts a fiftieth, files of the site nothing. Beyond: 429 with Retry-After.',
    section: 'Network',
    schema: wholeNumber(1, 1_000_000).default(300),
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
      'How long a move waits that only an account vouches for: a changed payout or withdraw address, a send from an agent’s wallet, a key export, a withdrawal from Earn. The owner can cancel it meanwhile. 0: nothing waits.',
    section: 'Operation',
    schema: z.coerce.number('must be a number of hours').min(0, 'must be 0 or more').max(720, 'must be at most 720').default(24),
  },
  AGENT_WALLETS: {
    about: 'on: owners and agents move money out of server wallets and export keys. off: those calls answer 503.',
    section: 'Operation',
    schema: z.enum(['on', 'off'], 'must be on or off').default('on'),
  },
  AGENT_WALLET_DAILY_USD: {
    about: 'The most USDC that may leave the server wallets of one agent within 24 hours, all networks together.',
    section: 'Operation',
    schema: usdMicros.refine((micros) => micros > 0n, 'must be above 0').default(10_000_000_000n),
    example: '10000',
  },
  AGENT_WALLET_DAILY_COINS: {
    about: 'The most of a network’s own coin (SOL, ETH) that may leave the server wallet of one agent within 24 hours, in whole coins.',
    section: 'Operation',
    schema: wholeNumber(0, 9).default(5),
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
