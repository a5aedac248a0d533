/** The type of a setting, and schemas that several settings share. */
import { isIP } from 'node:net';
import { parseUsd } from '@market/contract';
import { z } from 'zod';

export interface Setting {
  readonly about: string;
  readonly section: 'Service' | 'Data' | 'Identity' | 'Chains' | 'Network' | 'Operation';
  /** Parses the raw text of the environment; a missing text gives the schema's default. */
  readonly schema: z.ZodType;
  /** Value in `.env.example` when the default is computed or missing. */
  readonly example?: string;
}

export const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((value) => value.replace(/\/+$/, ''));

export const port = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0, 'must be 0-65535')
  .max(65535, 'must be 0-65535');

export const rpcUrls = commaList.pipe(z.array(webAddress));

export const origin = z.url({ protocol: /^https?$/, error: 'must hold http or https origins' }).transform((value) => new URL(value).origin);

export const wholeNumber = (least: number, most: number) =>
  z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

export const masterKey = z.string().transform((value, context) => {
  const key = /^[0-9a-fA-F]{64}$/.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
  if (key.length === 32) return key;
  context.addIssue({ code: 'custom', message: 'must be 32 bytes as 64 hex characters or base64 (openssl rand -hex 32)' });
  return z.NEVER;
});

export const databaseUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgresql://');

export const usdMicros = z.string().transform((value, context) => {
  const micros = parseUsd(value);
  if (micros !== undefined) return micros;
  context.addIssue({ code: 'custom', message: 'must be an amount in USD such as 1000 or 0.50' });
  return z.NEVER;
});

/** An address or CIDR range, or one of the words that fastify's trustProxy accepts. */
export const proxyRange = z.string().refine((value) => {
  const [address = '', bits] = value.split('/');
  const words = ['loopback', 'linklocal', 'uniquelocal'];
  return words.includes(value) || (isIP(address) !== 0 && (bits === undefined || /^\d{1,3}$/.test(bits)));
}, 'must hold IP addresses, CIDR ranges, or loopback, linklocal, uniquelocal');
