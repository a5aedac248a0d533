// Binds a sign-in form to its request, so that a form made elsewhere or for other parameters is refused.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AskedParameters } from './authorization-parameters.ts';

const LIFETIME_SECONDS = 1_800;

export function signForm(secret: Buffer, asked: AskedParameters, now: Date): string {
  const expiresAt = String(Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS);
  return `${expiresAt}.${computeMac(secret, asked, expiresAt).toString('base64url')}`;
}

export function isFormToken(secret: Buffer, asked: AskedParameters, now: Date, token: string): boolean {
  const [expiresAt = '', mac = ''] = token.split('.');
  if (!/^\d{1,12}$/.test(expiresAt) || Number(expiresAt) * 1000 <= now.getTime()) return false;
  const expected = computeMac(secret, asked, expiresAt);
  const given = Buffer.from(mac, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function computeMac(secret: Buffer, asked: AskedParameters, expiresAt: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([expiresAt, asked]))
    .digest();
}
