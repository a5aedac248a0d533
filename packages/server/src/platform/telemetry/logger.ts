/** Structured logs on standard error, so that standard output stays free for the `ready` line. All redaction of secrets happens here. */
import { pino } from 'pino';
import pinoPretty from 'pino-pretty';

export type Logger = Pick<import('pino').Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'child' | 'isLevelEnabled'>;

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
  'sign-in-with-x',
  'read_token',
  'buyer_token',
];

export function createLogger(options: { level: string; pretty: boolean }, to?: pino.DestinationStream): import('pino').Logger {
  const destination = to ?? openStandardError(options);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]), censor: '[redacted]' },
      serializers: { err: describeError },
    },
    destination,
  );
}

function openStandardError({ pretty }: { pretty: boolean }): pino.DestinationStream {
  if (!pretty) return pino.destination({ dest: 2, sync: false });
  return pinoPretty({
    destination: 2,
    colorize: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
  });
}

/** Logs only known fields of an error, because drivers attach whole connections with their secrets. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

/** Names of secrets in a query string: those above, plus names that mean a secret only there. */
const SECRET_PARAMETERS = new Set([...SECRET_FIELDS.map((name) => name.toLowerCase()), 'code', 'token', 'grant']);

/** A request URL without secrets for the log: signatures and tokens in the query are cut out, however their names are spelled. */
export function redactUrl(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url.slice(0, 500);
  // Handles pairs one by one: a single pattern for name and value takes quadratic time on a long query without `=`.
  const query = url.slice(at + 1).replace(/[^&;]+/g, (pair) => {
    const [name = '', value] = splitOnce(pair, '=');
    return value !== undefined && SECRET_PARAMETERS.has(plainName(name)) ? `${name}=[redacted]` : pair;
  });
  return `${url.slice(0, at)}?${query}`.slice(0, 500);
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function plainName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' ')).trim().toLowerCase();
  } catch {
    // An unparsable name may hide a secret, so redact its value.
    return 'token';
  }
}
