import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAgo, formatAmount, formatBytes, formatDays, formatDuration, formatHours, formatTime, parseTime, shorten } from './format.ts';

const utc = { locale: 'en-GB', timeZone: 'UTC' };

test('an amount has two decimals, more only where they are not zero, and is never rounded', () => {
  assert.equal(formatAmount('180.00'), '180.00');
  assert.equal(formatAmount('0.5'), '0.50');
  assert.equal(formatAmount('6.600000'), '6.60');
  assert.equal(formatAmount('0.000001'), '0.000001');
  assert.equal(formatAmount('184220.50'), '184,220.50');
  assert.equal(formatAmount('999999999999.999999'), '999,999,999,999.999999');
  assert.equal(formatAmount('-1.50'), '-1.50');
});

test('an amount is written in the number format of the visitor', () => {
  assert.equal(formatAmount('1234567.5', 'de-DE'), '1.234.567,50');
});

test('API times are UTC, and are shown in the visitor’s time zone', () => {
  assert.equal(parseTime('2026-11-15 14:05:00').toISOString(), '2026-11-15T14:05:00.000Z');
  assert.equal(parseTime('2026-11-22T09:00:00.000Z').getTime(), Date.UTC(2026, 10, 22, 9));
  assert.equal(formatTime('2026-11-15 14:05:00', 'now', utc), 'Sun 15 Nov 14:05 UTC');
  assert.equal(formatTime('2026-11-15 23:30:00', 'list', { locale: 'en-GB', timeZone: 'Asia/Tokyo' }), 'Mon 16 Nov 08:30');
});

test('lists, sentences, receipts and tooltips each have one time format', () => {
  const styles = ['list', 'sentence', 'day', 'moment', 'receipt', 'tooltip'] as const;
  assert.deepEqual(
    styles.map((style) => formatTime('2026-11-15 14:05:09', style, utc)),
    ['Sun 15 Nov 14:05', 'Sun 15 Nov at 14:05', '15 Nov 2026', '14:05:09 UTC', '15 Nov 2026 14:05 UTC', 'Sun 15 Nov 2026 14:05:09 UTC'],
  );
});

test('a past time is shown in the largest useful unit, and never as negative', () => {
  const now = Date.UTC(2026, 10, 15, 14, 5);
  const ago = (seconds: number) => formatAgo(now - seconds * 1000, now);
  assert.deepEqual(
    [ago(-5), ago(12), ago(61), ago(5 * 3600), ago(47 * 3600), ago(49 * 3600)],
    ['0 s ago', '12 s ago', '1 min ago', '5 h ago', '47 h ago', '2 days ago'],
  );
});

test('durations keep their minutes, seconds only below a minute', () => {
  assert.deepEqual([34_000, 9 * 60_000, 22_200_000, 5 * 86_400_000].map(formatDuration), ['34 s', '0 h 09', '6 h 10', '5 days']);
  assert.deepEqual([1, 7].map(formatDays), ['1 day', '7 days']);
  assert.deepEqual([1, 24, 48, 72, 100].map(formatHours), ['1 h', '24 h', '48 h', '3 days', '4 days 4 h']);
});

test('addresses are shortened with both ends visible; short ones stay whole', () => {
  assert.equal(shorten('0x7A3f2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6ec19E'), '0x7A3f…c19E');
  assert.equal(shorten('7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK'), '7EqQ…wJeK');
  assert.equal(shorten('mara'), 'mara');
});

test('file sizes use the common units', () => {
  assert.deepEqual([999, 1500, 88_000, 2_400_000, 2e9].map(formatBytes), ['999 B', '1.5 KB', '88 KB', '2.4 MB', '2.0 GB']);
});
