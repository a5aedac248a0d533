import assert from 'node:assert/strict';
import { test } from 'node:test';
import decodeQR from 'qr/decode.js';
import { type QrPath, qrPath } from './qr-path.ts';

const PIXELS = 4;

/** Paints the path as a browser would, and decodes the picture as a camera would. */
function scan({ size, path }: QrPath): string {
  const side = size * PIXELS;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let pixel = 0; pixel < PIXELS * PIXELS; pixel++) {
      const column = Number(x) * PIXELS + (pixel % PIXELS);
      const row = Number(y) * PIXELS + Math.floor(pixel / PIXELS);
      data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3);
    }
  return decodeQR({ width: side, height: side, data });
}

test('a QR code is readable for any length of its text', () => {
  for (const length of [1, 14, 42, 84, 122, 180, 213, 400]) {
    const text = Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 7) % 90))).join('');
    assert.equal(scan(qrPath(text)), text, `${length} bytes`);
  }
});

test('a payment link is read back exactly, and its code has a quiet zone of four modules', () => {
  const link = `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF&uint256=180000000`;
  const code = qrPath(link);
  assert.equal(scan(code), link);
  const coordinates = [...code.path.matchAll(/M(\d+) (\d+)/g)].flatMap(([, x, y]) => [Number(x), Number(y)]);
  assert.deepEqual([Math.min(...coordinates), Math.max(...coordinates)], [4, code.size - 5]);
});

test('a text too long for a QR code is refused, not cut', () => {
  assert.throws(() => qrPath('x'.repeat(2_332)));
});
