/** Environment → one frozen, typed object. Every problem is reported at once; nothing else reads the environment. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { settings } from './settings.ts';

type Settings = typeof settings;
type Values = { [K in keyof Settings]: z.output<Settings[K]['schema']> };

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

export interface Config {
  readonly profile: 'sandbox' | 'production';
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | undefined;
  readonly appUrl: string | undefined;
  readonly serviceName: string;
  readonly dataDir: string;
  readonly database: { readonly url: string | undefined; readonly poolSize: number };
  readonly masterKey: { readonly current: Buffer | undefined; readonly previous: readonly Buffer[] };
  readonly idp: {
    readonly issuer: string | undefined;
    readonly audience: string | undefined;
    readonly jwksUri: string | undefined;
    readonly algorithms: readonly string[];
    readonly adminEmails: readonly string[];
  };
  readonly network: {
    readonly corsOrigins: readonly string[];
    readonly trustedProxies: readonly string[];
    readonly outboundAllow: readonly string[];
    readonly rateLimitScale: number;
  };
  readonly log: { readonly level: Values['LOG_LEVEL']; readonly pretty: boolean };
  readonly runJobs: boolean;
  readonly metricsToken: string | undefined;
}

export interface ReadConfigOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: boolean;
}

export function readConfig({ environment, terminal }: ReadConfigOptions): Config {
  const problems: string[] = [];
  const values = parseSettings(environment, problems);
  problems.push(...profileProblems(values));
  if (problems.length > 0) throw new ConfigError(problems);

  return deepFreeze({
    profile: values.MARKET_PROFILE,
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL,
    appUrl: values.APP_URL,
    serviceName: values.SERVICE_NAME,
    dataDir: path.resolve(values.DATA_DIR),
    database: { url: values.DATABASE_URL, poolSize: values.DATABASE_POOL_SIZE },
    masterKey: { current: values.MASTER_KEY, previous: values.MASTER_KEYS_OLD },
    idp: {
      issuer: values.IDP_ISSUER,
      audience: values.IDP_AUDIENCE,
      jwksUri: values.IDP_JWKS_URI,
      algorithms: values.IDP_ALGORITHMS,
      adminEmails: values.ADMIN_EMAILS,
    },
    network: {
      corsOrigins: values.CORS_ORIGINS,
      trustedProxies: values.TRUSTED_PROXIES,
      outboundAllow: values.OUTBOUND_ALLOW,
      rateLimitScale: values.RATE_LIMIT_SCALE,
    },
    log: { level: values.LOG_LEVEL, pretty: values.LOG_FORMAT === 'pretty' || (values.LOG_FORMAT === 'auto' && terminal) },
    runJobs: values.JOBS === 'on',
    metricsToken: values.METRICS_TOKEN,
  });
}

/** The settings of this process: its environment, and a `.env` file beside it for what the environment leaves open. */
export function loadConfig(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readConfig({ environment: process.env, terminal: process.stderr.isTTY });
}

function parseSettings(environment: ReadConfigOptions['environment'], problems: string[]): Values {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    // An empty value means "not set", as people comment settings out by emptying them.
    const raw = environment[name]?.trim();
    const parsed = setting.schema.safeParse(raw === '' ? undefined : raw);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(...parsed.error.issues.map((issue) => `${name} ${issue.message}`));
  }
  return values as Values;
}

function profileProblems(values: Partial<Values>): string[] {
  const problems: string[] = [];
  if (values.IDP_ISSUER !== undefined && values.IDP_AUDIENCE === undefined) {
    problems.push('IDP_AUDIENCE must be set together with IDP_ISSUER');
  }
  if (values.MARKET_PROFILE !== 'production') return problems;
  if (values.MASTER_KEY === undefined) problems.push('MASTER_KEY must be set in production (openssl rand -hex 32)');
  if (values.BASE_URL === undefined) problems.push('BASE_URL must be set in production: it is printed into links and challenges');
  else if (!values.BASE_URL.startsWith('https://')) problems.push('BASE_URL must be an https address in production');
  if ((values.OUTBOUND_ALLOW?.length ?? 0) > 0) problems.push('OUTBOUND_ALLOW must be empty in production');
  if (values.METRICS_TOKEN === undefined && (values.TRUSTED_PROXIES?.length ?? 0) > 0) {
    problems.push('METRICS_TOKEN must be set when TRUSTED_PROXIES is: behind a proxy every caller looks local');
  }
  return problems;
}

function deepFreeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) {
    if (child !== null && typeof child === 'object' && !Buffer.isBuffer(child)) deepFreeze(child);
  }
  return Object.freeze(value);
}
