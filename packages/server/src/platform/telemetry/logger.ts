/** Structured logs on standard error, so that standard output stays free for the `ready` line. Secrets are redacted here, once. */
import { pino, stdSerializers } from 'pino';
import pinoPretty from 'pino-pretty';

export type Logger = Pick<import('pino').Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'child'>;

/** Field names whose values never reach a log line, wherever they appear in the first levels of an object. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'api_key',
  'apiKey',
  'access_token',
  'idp_access_token',
  'wallet_sig',
  'webhook_secret',
  'private_key',
  'x-payment',
  'payment-signature',
  'x-market-wallet-sig',
];

export function createLogger(options: { level: string; pretty: boolean }): import('pino').Logger {
  const destination = options.pretty
    ? pinoPretty({ destination: 2, colorize: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true })
    : pino.destination({ dest: 2, sync: false });
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]), censor: '[redacted]' },
      serializers: { err: stdSerializers.err },
    },
    destination,
  );
}

const SECRET_PARAMETERS = /([?&](?:wallet_sig|idp_access_token|access_token|code|token)=)[^&]*/g;

/** A request address fit for a log: signatures and tokens in the query are cut out. */
export function redactUrl(url: string): string {
  return url.replace(SECRET_PARAMETERS, '$1[redacted]').slice(0, 500);
}
