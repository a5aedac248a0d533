import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UploadId } from '@market/contract';
import { createSecretBox } from '../../platform/secrets/secret-box.ts';
import { createFileLinks } from './file-links.ts';

const id: UploadId = 'upl_1700000000000_k3v9x1q7a';
const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
let nowMs = 1_700_000_000_000;
const clock = { now: () => new Date(0), realNow: () => new Date(nowMs) };

function linksWith(current: Buffer, previous: Buffer[] = [], baseUrl = 'https://api.example.com') {
  return createFileLinks({ baseUrl, secrets: createSecretBox({ current, previous }), clock });
}

function grantIn(link: string): string {
  return new URL(link).searchParams.get('grant') ?? '';
}

test('a grant is valid for an hour of real time, for its file and level only', () => {
  const links = linksWith(oldKey);
  for (const level of ['full', 'preview'] as const) {
    const grant = grantIn(links.grantFile(id, level));
    assert.equal(links.readGrant(id, grant), level);
    assert.equal(links.readGrant(id.replace('a', 'b'), grant), undefined);
    assert.equal(links.readGrant(id, grant.replace(/^\w+/, level === 'full' ? 'preview' : 'full')), undefined);
    nowMs += 3599_000;
    assert.equal(links.readGrant(id, grant), level);
    nowMs += 1_000;
    assert.equal(links.readGrant(id, grant), undefined);
  }
});

test('a grant survives a master key rotation while the old key is kept, and no longer', () => {
  const grant = grantIn(linksWith(oldKey).grantFile(id, 'full'));
  assert.equal(linksWith(newKey, [oldKey]).readGrant(id, grant), 'full');
  assert.equal(linksWith(newKey).readGrant(id, grant), undefined);
});

test('a URL is ours only with our exact origin and path', () => {
  for (const baseUrl of ['https://api.example.com', 'https://example.com/market']) {
    const links = linksWith(oldKey, [], baseUrl);
    assert.equal(links.idOf(links.urlOf(id)), id);
    assert.equal(links.idOf(links.grantFile(id, 'full')), id);
  }
  const links = linksWith(oldKey);
  const elsewhere = [
    '',
    'upl_1700000000000_k3v9x1q7a',
    `http://api.example.com/files/${id}`,
    `https://api.example.com:8443/files/${id}`,
    `https://api.example.com.evil.example/files/${id}`,
    `https://evil.example/https://api.example.com/files/${id}`,
    `https://api.example.com@evil.example/files/${id}`,
    `https://api.example.com/api/../x/files/${id}`,
    `https://api.example.com/files/../api/agents`,
    `javascript:https://api.example.com/files/${id}`,
  ];
  for (const url of elsewhere) assert.equal(links.idOf(url), undefined, url);
});
