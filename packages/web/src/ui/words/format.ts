/** Formats amounts, times and addresses. Pure, so that tests, server and browser agree. */
import type { Visitor } from './visitor.ts';

/** `1234.5` becomes `1,234.50`: two decimals, more only if they are not zero. Takes the API's decimal strings and never computes. */
export function formatAmount(amount: string, locale = 'en-GB'): string {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const shown = decimals.replace(/0+$/, '').padEnd(2, '0');
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(0.1);
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  return `${sign}${new Intl.NumberFormat(locale).format(BigInt(whole))}${point}${shown}`;
}

export function formatCount(count: number, locale = 'en-GB'): string {
  return new Intl.NumberFormat(locale).format(count);
}

/** Parses the API's `2026-11-15 14:05:00` in UTC, and ISO times. */
export function parseTime(time: string | number): Date {
  if (typeof time === 'number') return new Date(time);
  return new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time) ? `${time.replace(' ', 'T')}Z` : time);
}

/**
 * One time format per kind of place:
 * `list` in rows, headers and captions (`Sun 15 Nov 14:05`), `sentence` in running text (`Sun 15 Nov at 14:05`), `day` where the time of
 * day does not matter (`15 Nov 2026`), `moment` for a recent read or save (`14:05:09 CET`), `now` for the market's own time (`Sun 15 Nov
 * 14:05 CET`), `receipt` on receipts (`15 Nov 2026 14:05 CET`), `tooltip` with all details.
 */
export type TimeStyle = 'list' | 'sentence' | 'day' | 'moment' | 'now' | 'receipt' | 'tooltip';

const zone = { timeZoneName: 'short' } as const;
const minute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const second = { ...minute, second: '2-digit' } as const;
const weekday = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;

/** The parts of each style from left to right; a sentence has `at` between them. */
const timeStyles: Readonly<Record<TimeStyle, readonly Intl.DateTimeFormatOptions[]>> = {
  list: [weekday, minute],
  sentence: [weekday, minute],
  day: [date],
  moment: [{ ...second, ...zone }],
  now: [weekday, { ...minute, ...zone }],
  receipt: [date, { ...minute, ...zone }],
  tooltip: [
    { ...date, weekday: 'short' },
    { ...second, ...zone },
  ],
};

export function formatTime(time: string | number, style: TimeStyle, { locale, timeZone }: Visitor): string {
  const at = parseTime(time);
  const parts = timeStyles[style].map((part) => new Intl.DateTimeFormat(locale, { ...part, timeZone }).format(at).replaceAll(',', ''));
  return parts.join(style === 'sentence' ? ' at ' : ' ');
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An age like `12 s ago`, `3 min ago`, `5 h ago`, `2 days ago`. */
export function formatAgo(time: string | number, now: number): string {
  const passed = Math.max(0, now - parseTime(time).getTime());
  if (passed < MINUTE) return `${Math.floor(passed / 1000)} s ago`;
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < 2 * DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return `${Math.floor(passed / DAY)} days ago`;
}

/** A duration to the minute, like `6 h 10` or `0 h 09`; below a minute `34 s`, above 48 hours `3 days 4 h`. */
export function formatDuration(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE));
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms > 2 * DAY) return daysAndHours(Math.floor(ms / HOUR));
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}

function daysAndHours(hours: number): string {
  return hours % 24 === 0 ? `${hours / 24} days` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

export function formatHours(hours: number): string {
  return hours > 48 ? daysAndHours(hours) : `${hours} h`;
}

export function formatDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

/** `0x7A3f…c19E`: enough to compare, short enough for a line. Shorter texts are unchanged. */
export function shorten(text: string): string {
  if (text.length <= 14) return text;
  return `${text.slice(0, text.startsWith('0x') ? 6 : 4)}…${text.slice(-4)}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, size] = bytes < 1e6 ? ['KB', bytes / 1e3] : bytes < 1e9 ? ['MB', bytes / 1e6] : ['GB', bytes / 1e9];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
