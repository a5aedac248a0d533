/** A foreign server on loopback that sends given bytes in given pieces, and what our client's connection reads. */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Connection } from '../../packages/server/src/platform/outbound/connection.ts';
import type { AnswerLimits } from '../../packages/server/src/platform/outbound/exchange.ts';
import { OutboundFault } from '../../packages/server/src/platform/outbound/outbound-fault.ts';

const LIMITS: AnswerLimits = { maxBodyBytes: 1_000, overflow: 'fail' };
/** Loopback delivers a piece within one turn; Node passes it on within a few. */
const TURNS_UNTIL_CLOSE = 6;

export interface ReadOptions extends Partial<AnswerLimits> {
  /** The positions at which the bytes are cut into pieces. */
  readonly cuts?: readonly number[];
  readonly path?: string;
}

export interface AnswerServer {
  /** `200 body`, with ` (closed)` if no call may follow, or the kind of the fault. The server closes after its last byte. */
  read(text: string, options?: ReadOptions): Promise<string>;
  close(): void;
}

export async function openAnswerServer(): Promise<AnswerServer> {
  const server = createServer((socket) => void socket.on('error', () => undefined).setNoDelay(true));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    async read(text, { cuts = [], path, ...limits } = {}) {
      const accepted = once(server, 'connection');
      const socket = connect(port, '127.0.0.1');
      const [[theirs]] = (await Promise.all([accepted, once(socket, 'connect')])) as unknown as [[Socket]];
      const outcome = readAnswer(socket, path, limits);
      await once(theirs, 'data');
      const bytes = Buffer.from(text, 'latin1');
      const edges = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
      for (const [index, edge] of edges.entries()) {
        if (!theirs.destroyed) theirs.write(bytes.subarray(edge, edges[index + 1]));
        await nextTurn();
        await nextTurn();
      }
      for (let turn = 0; turn < TURNS_UNTIL_CLOSE; turn++) await nextTurn();
      theirs.end();
      const said = await outcome;
      theirs.destroy();
      return said;
    },
    close: () => void server.close(),
  };
}

/** Makes one call on the open socket and releases it. */
export async function readAnswer(socket: Socket, path = '/', limits: Partial<AnswerLimits> = {}): Promise<string> {
  const connection = new Connection(socket);
  try {
    const asked = { method: 'GET', path, headers: ['Host', 'x', 'Connection', 'keep-alive'], body: '' } as const;
    const { status, body } = await connection.call(asked, { ...LIMITS, ...limits, keepAlive: true });
    return `${status} ${body.toString('latin1')}${connection.isReusable ? '' : ' (closed)'}`;
  } catch (fault) {
    assert.ok(fault instanceof OutboundFault, String(fault));
    return fault.kind;
  } finally {
    connection.destroy();
  }
}
