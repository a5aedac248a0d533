import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPicture } from './check-image.ts';

test('a picture is recognised by its first bytes', () => {
  const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WEBPVP8 ')]);
  const good = [Buffer.from('ffd8ffe0', 'hex'), Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('GIF89a'), Buffer.from('GIF87a'), webp];
  for (const bytes of good) assert.ok(isPicture(bytes), bytes.toString('latin1'));
  for (const text of ['', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF', 'RIFF....WAVE', '<html>', 'BM'])
    assert.ok(!isPicture(Buffer.from(text)), text);
});
