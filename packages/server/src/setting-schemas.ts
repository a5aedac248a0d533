/** The type of a setting, and schemas that several settings share. */
import { z } from 'zod';

export interface Setting {
  readonly about: string;
  readonly section: 'Service' | 'Data' | 'Identity' | 'Chains' | 'Network' | 'Operation';
  /** From the raw environment text to a value; absent text takes the schema's default. */
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
