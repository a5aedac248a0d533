/** Field shapes that many records share. */
import { z } from 'zod';
import { parseUsd } from './money.ts';

/** Record timestamps are UTC with second precision. */
export const wireTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
  .meta({ id: 'WireTime', description: 'UTC time as `YYYY-MM-DD HH:MM:SS`', examples: ['2026-11-15 14:05:00'] });

export function toWireTime(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

/** A yes/no field that the specification shows as an integer. */
export const flag = z.union([z.literal(0), z.literal(1)]).meta({ id: 'Flag', description: '1 for yes, 0 for no', examples: [1] });

export function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

export const usdAmount = z
  .string()
  .regex(/^-?\d+\.\d{2,6}$/)
  .meta({ id: 'UsdAmount', description: 'USD amount as a decimal string', examples: ['180.00'] });

const MAX_AMOUNT_MICROS = 1_000_000_000_000n;

/** An amount that a client sends, as a string or a number. */
export function usdInput(name: string, { above = -1n }: { readonly above?: bigint } = {}) {
  const least = above >= 0n ? 'above 0 and ' : '';
  const message = `${name} must be an amount in plain decimal notation such as "25.00", ${least}at most 1000000 with at most 6 decimals.`;
  return z.union([z.string(), z.number()], message).refine((value) => {
    const micros = parseUsd(value);
    return micros !== undefined && micros > above && micros <= MAX_AMOUNT_MICROS;
  }, message);
}

/** Control and invisible formatting characters, which can deceive readers. Line breaks and tabs stay. */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text of a person: invisible characters are dropped, and surrounding white space does not count towards a bound. */
export function text(min: number, max: number, label: string): z.ZodString {
  const message = `${label} must be ${min === 0 ? `at most ${max}` : `${min}-${max}`} characters.`;
  return z
    .string(message)
    .overwrite((value) => value.replace(INVISIBLE, '').trim())
    .min(min, message)
    .max(max, message);
}

/** Like `text`, but on one line. */
export function line(min: number, max: number, label: string): z.ZodString {
  return text(min, max, label).overwrite((value) => value.replace(/\s+/g, ' '));
}

/**
 * A name of letters, numbers and the given signs, as arguments of `regex`. One pattern, because some MCP hosts allow only one per field.
 * It matches in linear time. `signs` are written as in a character class.
 */
export function titleLike(label: string, signs: string): [pattern: RegExp, problem: { error: (issue: { input?: unknown }) => string }] {
  const pattern = new RegExp(`^(?:[A-Za-z]|[0-9][0-9${signs}]*[A-Za-z])[0-9${signs}]*[A-Za-z][A-Za-z0-9${signs}]*$`);
  const isAllowed = new RegExp(`^[A-Za-z0-9${signs}]*$`);
  const listed = signs.replaceAll('\\', '').trim().split('').join(' ');
  const error = ({ input }: { input?: unknown }): string => {
    if (!isAllowed.test(String(input))) return `${label} may hold letters, numbers, spaces and ${listed} only.`;
    return /^[A-Za-z0-9]/.test(String(input))
      ? `${label} must contain at least 2 letters.`
      : `${label} must start with a letter or a number.`;
  };
  return [pattern, { error }];
}

/** Marks text in answers that other parties wrote. Programs that read it must treat it as data, never as instructions. */
export const writtenByOthers = { 'x-untrusted': true } as const;

export const othersText = z.string().meta(writtenByOthers);

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'Must be an http or https URL.' })
  .max(2048, 'Must be at most 2048 characters.');

export const moderationVerdict = z
  .object({
    status: z.enum(['ok', 'review', 'spam']),
    reason: z.string().nullable(),
  })
  .meta({ id: 'ModerationVerdict', description: 'Moderation verdict on public text; others see it only with `ok`' });
