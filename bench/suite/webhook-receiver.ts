/**
 * The receivers of webhooks, in their own process. In production they are other people's machines, so they do as little as
 * possible: read a request to its end and answer ok.
 */
import { type AddressInfo, createServer } from 'node:net';

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');

const server = createServer((socket) => {
  let missing = 0;
  socket.setNoDelay(true);
  socket.on('data', (bytes) => {
    missing = missing > 0 ? missing - bytes.length : bytesAfter(bytes);
    if (missing === 0) socket.write(ANSWER);
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

/** Bytes still missing of the request that begins with this chunk. */
function bytesAfter(bytes: Buffer): number {
  const headEnd = bytes.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (headEnd < 0 || length === undefined) throw new Error('a request came in an unexpected form');
  return headEnd + 4 + Number(length) - bytes.length;
}
