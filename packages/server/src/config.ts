/** Reads the environment into one frozen, typed object and reports every problem at once. Nothing else reads the environment. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { NetworkName } from '@market/contract';
import { profileProblems, type Role } from './settings/config-problems.ts';
import { type EarnConfig, earnConfigOf } from './settings/earn-settings.ts';
import { type NodeConfig, nodeConfigOf, parseSettings, perNetwork, profileOf, type Values } from './settings/setting-values.ts';

export type { EarnConfig, NodeConfig, Role };

const LAMPORTS_PER_SOL = 1_000_000_000;

const MIB = 1024 ** 2;

/** Enough connections for statements that wait for each other, few enough that PostgreSQL does not waste time on switching. */
export function poolSizeFor(processors: number): number {
  return Math.min(80, Math.max(20, 8 * processors));
}

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The settings have ${problems.length} problem${problems.length === 1 ? '' : 's'}:\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export interface OutflowLimits {
  readonly hourlyMicros: bigint;
  readonly floatMicros: bigint;
  readonly accountFromMicros: bigint;
  readonly accountsPerDestination: number;
  readonly accountLamportsPerDay: bigint;
}

export interface Config {
  readonly profile: 'sandbox' | 'production';
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | undefined;
  readonly appUrl: string | undefined;
  readonly serviceName: string;
  readonly securityContact: string | undefined;
  readonly priceSourceUrl: string | undefined;
  readonly dataDir: string;
  readonly database: {
    readonly url: string | undefined;
    /** A direct connection to PostgreSQL, where `url` leads to a pooler. */
    readonly directUrl: string | undefined;
    readonly poolSize: number;
  };
  /** Undefined: files are stored in the data folder. */
  readonly s3:
    | {
        readonly endpoint: string;
        readonly bucket: string;
        readonly region: string;
        readonly accessKey: string;
        readonly secretKey: string;
      }
    | undefined;
  readonly masterKey: {
    readonly current: Buffer | undefined;
    readonly previous: readonly Buffer[];
    /** A command that prints the keys. */
    readonly command: string | undefined;
  };
  readonly idp: {
    readonly issuer: string | undefined;
    readonly audience: string | undefined;
    /** The site's client id at the provider. */
    readonly clientId: string | undefined;
    readonly jwksUri: string | undefined;
    readonly algorithms: readonly string[];
    readonly adminEmails: readonly string[];
    readonly adminKey: string | undefined;
  };
  readonly swap: { readonly url: string | undefined; readonly key: string | undefined; readonly maxSlippageBps: number };
  /** The key of the vault of creator fees, or `file:` and its path. */
  readonly feeKey: string | undefined;
  readonly chains: {
    readonly nodes: Readonly<Record<NetworkName, NodeConfig>>;
    /** The key itself, or `file:` and its path. */
    readonly treasuryKeys: { readonly solana: string | undefined; readonly evm: string | undefined };
    readonly finalFromMicros: bigint;
    readonly secondOpinionFromMicros: bigint;
    /** The launch program that makes agents' tokens. */
    readonly tokenLauncher: Values['TOKEN_LAUNCHER'];
    /** How long, and how many requests at once, wait for a payment to become final enough. */
    readonly waiting: { readonly seconds: number; readonly places: number };
    readonly contest: { readonly windowMinutes: number; readonly aboveMicros: bigint };
  };
  /** Vaults of Earn. */
  readonly earn: EarnConfig;
  /** Limits of outgoing money. */
  readonly outflow: OutflowLimits;
  readonly signer: {
    /** Undefined: this process signs. */
    readonly url: string | undefined;
    readonly secret: string | undefined;
    /** The port where `market signer` listens. */
    readonly port: number;
    readonly addresses: { readonly solana: string | undefined; readonly evm: string | undefined };
  };
  /** Standard x402 payments: settled by a remote service, or here with keys that pay the fees. */
  readonly x402: {
    readonly facilitator: { readonly url: string; readonly authorization: string | undefined } | undefined;
    /** The key itself, or `file:` and its path. */
    readonly sponsorKeys: { readonly solana: string | undefined; readonly evm: string | undefined };
    /** Price of a registration. */
    readonly registrationMicros: bigint;
    /** Keys that sign offers and receipts, as given for `sponsorKeys`. */
    readonly signingKeys: { readonly current: string | undefined; readonly previous: readonly string[] };
  };
  /** Storage limits per agent, and per account. */
  readonly uploadQuotas: Readonly<Record<'agent' | 'account', { readonly bytes: number; readonly files: number }>>;
  readonly sandboxChains: {
    readonly mode: 'on' | 'off' | 'fast';
    readonly folder: string;
    readonly ports: Readonly<Record<NetworkName, number>>;
  };
  /** Demo content and sample agents. */
  readonly demo: boolean;
  /** Serves the fixtures of the MCP conformance suite at the MCP endpoint. */
  readonly mcpFixtures: boolean;
  readonly crashAt: string | undefined;
  readonly network: {
    readonly corsOrigins: readonly string[];
    readonly trustedProxies: readonly string[];
    readonly outboundAllow: readonly string[];
    readonly rateLimitScale: number;
    /** The rate limit of an IPv6 /48, as a multiple of the limit of one /64. */
    readonly ipv6SiteTimes: number;
    readonly pagesPerMinute: number;
    /** Load limits of this process. */
    readonly load: { readonly mostConnections: number; readonly mostRequests: number; readonly longestDelayMs: number };
    /** Memory for finished answers to signed-out callers; 0 keeps none. */
    readonly readyAnswerBytes: number;
    readonly signatureChecksPerMinute: number;
    readonly failedKeysPerMinute: number;
    readonly eventStreamsPerAddress: number;
  };
  readonly log: { readonly level: Values['LOG_LEVEL']; readonly pretty: boolean };
  /** The delay of a changed payout address that the owner's wallet did not sign. */
  readonly payoutChangeDelaySeconds: number;
  /** Limits of agents' server wallets. */
  readonly agentWallets: { readonly enabled: boolean; readonly dailyMicros: bigint; readonly dailyCoins: number };
  readonly runJobs: boolean;
  readonly metricsToken: string | undefined;
}

/** `signer` reads only the settings of the process that signs, and needs none of the service's own secrets. */
export interface ReadConfigOptions {
  readonly role?: Role;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: boolean;
}

export function readConfig({ environment, terminal, role = 'service' }: ReadConfigOptions): Config {
  const problems: string[] = [];
  const values = parseSettings(environment, problems);
  problems.push(...profileProblems(values, role));
  if (problems.length > 0) throw new ConfigError(problems);

  return deepFreeze({
    profile: profileOf(values),
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL,
    appUrl: values.APP_URL,
    serviceName: values.SERVICE_NAME,
    securityContact: values.SECURITY_CONTACT,
    priceSourceUrl: values.PRICE_SOURCE_URL,
    dataDir: path.resolve(values.DATA_DIR),
    database: {
      url: values.DATABASE_URL,
      directUrl: values.DATABASE_DIRECT_URL,
      poolSize: values.DATABASE_POOL_SIZE ?? poolSizeFor(availableParallelism()),
    },
    s3: s3Of(values),
    uploadQuotas: {
      agent: { bytes: values.UPLOAD_QUOTA_AGENT_MIB * MIB, files: values.UPLOAD_QUOTA_AGENT_FILES },
      account: { bytes: values.UPLOAD_QUOTA_ACCOUNT_MIB * MIB, files: values.UPLOAD_QUOTA_ACCOUNT_FILES },
    },
    masterKey: { current: values.MASTER_KEY, previous: values.MASTER_KEYS_OLD, command: values.MASTER_KEY_COMMAND },
    idp: {
      issuer: values.IDP_ISSUER,
      audience: values.IDP_AUDIENCE,
      clientId: values.IDP_CLIENT_ID,
      jwksUri: values.IDP_JWKS_URI,
      algorithms: values.IDP_ALGORITHMS,
      adminEmails: values.ADMIN_EMAILS,
      adminKey: values.ADMIN_API_KEY,
    },
    feeKey: values.CREATOR_FEE_KEY,
    swap: { url: values.SWAP_AGGREGATOR_URL, key: values.SWAP_AGGREGATOR_KEY, maxSlippageBps: values.SWAP_MAX_SLIPPAGE_BPS },
    chains: {
      nodes: perNetwork((facts) => nodeConfigOf(values, facts)),
      treasuryKeys: {
        solana: values.TREASURY_SOLANA_KEY,
        evm: values.TREASURY_EVM_KEY,
      },
      finalFromMicros: values.PAYMENT_FINAL_FROM_USD,
      secondOpinionFromMicros: values.SECOND_OPINION_FROM_USD,
      tokenLauncher: values.TOKEN_LAUNCHER,
      waiting: {
        seconds: values.PAYMENT_WAIT_SECONDS,
        places: Math.max(1, Math.min(values.PAYMENT_WAIT_REQUESTS, Math.floor(values.MAX_REQUESTS / 4))),
      },
      contest: { windowMinutes: values.PAYMENT_CONTEST_MINUTES, aboveMicros: values.PAYMENT_CONTEST_ABOVE_USD },
    },
    earn: earnConfigOf(values, profileOf(values) === 'sandbox'),
    outflow: {
      hourlyMicros: values.OUTFLOW_HOURLY_USD,
      floatMicros: values.OUTFLOW_FLOAT_USD,
      accountFromMicros: values.PAYOUT_ACCOUNT_FROM_USD,
      accountsPerDestination: values.PAYOUT_ACCOUNTS_PER_DESTINATION,
      accountLamportsPerDay: BigInt(Math.round(values.PAYOUT_ACCOUNTS_SOL_PER_DAY * LAMPORTS_PER_SOL)),
    },
    signer: {
      url: values.SIGNER_URL,
      secret: values.SIGNER_SECRET,
      port: values.SIGNER_PORT,
      addresses: { solana: values.TREASURY_SOLANA_ADDRESS, evm: values.TREASURY_EVM_ADDRESS },
    },
    x402: {
      facilitator:
        values.X402_FACILITATOR_URL === undefined
          ? undefined
          : { url: values.X402_FACILITATOR_URL, authorization: values.X402_FACILITATOR_AUTHORIZATION },
      sponsorKeys: { solana: values.SPONSOR_SOLANA_KEY, evm: values.SPONSOR_EVM_KEY },
      registrationMicros: values.REGISTRATION_PRICE_USD,
      signingKeys: { current: values.X402_SIGNING_KEY, previous: values.X402_SIGNING_KEYS_OLD },
    },
    sandboxChains: {
      mode: values.SANDBOX_CHAINS,
      folder: path.resolve(values.SANDBOX_CHAINS_FOLDER ?? path.join(values.DATA_DIR, 'chains')),
      ports: perNetwork(({ setting }) => values[`SANDBOX_${setting}_PORT`]),
    },
    demo: profileOf(values) === 'sandbox' && values.SANDBOX_DEMO !== 'off',
    mcpFixtures: values.MCP_FIXTURES === 'on',
    crashAt: values.CRASH_AT,
    network: {
      corsOrigins: values.CORS_ORIGINS,
      trustedProxies: values.TRUSTED_PROXIES,
      outboundAllow: values.OUTBOUND_ALLOW,
      rateLimitScale: values.RATE_LIMIT_SCALE,
      ipv6SiteTimes: values.IPV6_SITE_TIMES,
      pagesPerMinute: values.PAGES_PER_MINUTE,
      load: {
        mostConnections: values.MAX_CONNECTIONS,
        mostRequests: values.MAX_REQUESTS,
        longestDelayMs: values.MAX_EVENT_LOOP_DELAY_MS,
      },
      readyAnswerBytes: values.READY_ANSWERS_MB * 1024 * 1024,
      signatureChecksPerMinute: values.SIGNATURE_CHECKS_PER_MINUTE,
      failedKeysPerMinute: values.FAILED_KEYS_PER_MINUTE,
      eventStreamsPerAddress: values.EVENT_STREAMS_PER_ADDRESS,
    },
    log: { level: values.LOG_LEVEL, pretty: values.LOG_FORMAT === 'pretty' || (values.LOG_FORMAT === 'auto' && terminal) },
    payoutChangeDelaySeconds: Math.round(values.PAYOUT_CHANGE_DELAY_HOURS * 3600),
    agentWallets: {
      enabled: values.AGENT_WALLETS === 'on',
      dailyMicros: values.AGENT_WALLET_DAILY_USD,
      dailyCoins: values.AGENT_WALLET_DAILY_COINS,
    },
    runJobs: values.JOBS === 'on',
    metricsToken: values.METRICS_TOKEN,
  });
}

/** Reads the settings of this process from its environment; a `.env` file beside it fills in what the environment leaves unset. */
export function loadConfig(role: Role = 'service'): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readConfig({ environment: process.env, terminal: process.stderr.isTTY, role });
}

function s3Of(values: Values): Config['s3'] {
  const { STORAGE_S3_ENDPOINT: endpoint, STORAGE_S3_BUCKET: bucket, STORAGE_S3_REGION: region } = values;
  const { STORAGE_S3_ACCESS_KEY: accessKey, STORAGE_S3_SECRET_KEY: secretKey } = values;
  if (endpoint === undefined || bucket === undefined || accessKey === undefined || secretKey === undefined) return undefined;
  return { endpoint, bucket, region, accessKey, secretKey };
}

function deepFreeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) {
    if (child !== null && typeof child === 'object' && !Buffer.isBuffer(child)) deepFreeze(child);
  }
  return Object.freeze(value);
}
