import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecretBox } from '../../platform/secrets/secret-box.ts';
import { createReference, namesPurchase } from './purchase-reference.ts';

const box = (byte: number, previous: readonly Buffer[] = []) => createSecretBox({ current: Buffer.alloc(32, byte), previous });
const now = new Date('2026-11-15T12:00:00Z');
const purchase = { purpose: 'x402', amountMicros: 5_500_000n, fingerprint: Buffer.alloc(32, 7) };
const { text, expiresAt } = createReference(box(1), purchase, now);

test('X01: a reference is short and plain, and names one purchase until it expires', () => {
  assert.match(text, /^mp1-[0-9a-z]+-[A-Za-z0-9_-]{24}$/);
  assert.ok(text.length < 40);
  assert.equal(namesPurchase(box(1), purchase, text, now), true);
  assert.equal(namesPurchase(box(1), purchase, ` ${text}\n`, expiresAt), true);
  assert.equal(namesPurchase(box(2, [Buffer.alloc(32, 1)]), purchase, text, now), true, 'also after the master key was replaced');
});

test('X01: a reference is invalid for another purchase, under another key, altered or expired', () => {
  const late = new Date(expiresAt.getTime() + 1);
  const longer = text.replace(/^mp1-([0-9a-z]+)-/, (_, end: string) => `mp1-${(Number.parseInt(end, 36) + 3600).toString(36)}-`);
  const refused = [
    namesPurchase(box(1), { ...purchase, purpose: 'registration' }, text, now),
    namesPurchase(box(1), { ...purchase, amountMicros: 5_499_999n }, text, now),
    namesPurchase(box(1), { ...purchase, fingerprint: Buffer.alloc(32, 8) }, text, now),
    namesPurchase(box(2), purchase, text, now),
    namesPurchase(box(1), purchase, longer, now),
    namesPurchase(box(1), purchase, text.slice(0, -1), now),
    namesPurchase(box(1), purchase, `${text}x`, now),
    namesPurchase(box(1), purchase, '', now),
    namesPurchase(box(1), purchase, text, late),
  ];
  assert.deepEqual(new Set(refused), new Set([false]));
});
